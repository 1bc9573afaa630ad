import CLinux
import NIOCore

#if canImport(Glibc)
    import Glibc
#endif

/// The process at the other end of a Unix socket. The kernel says which it is, so no process can pretend to be another.
struct Peer: Sendable, Hashable {
    let processIdentifier: Int32
    let user: UInt32

    /// `struct ucred`, which Glibc's module does not export.
    private struct Credentials: Sendable {
        var processIdentifier: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    init(processIdentifier: Int32, user: UInt32) {
        self.processIdentifier = processIdentifier
        self.user = user
    }

    /// - Parameter channel: belongs to the event loop that this is called on, so that its options are known at once.
    /// - Returns: nil if it is not a Unix socket, or the other end is in a PID namespace that this process cannot see.
    init?(of channel: any Channel) {
        guard case .success(let credentials) = Self.option(lanyard_so_peercred, of: channel, as: Credentials.self),
            credentials.processIdentifier > 0
        else { return nil }
        processIdentifier = credentials.processIdentifier
        user = credentials.user
    }

    /// The process that made the connection, and never a later one with the same number: otherwise a program could
    /// leave its connection to a child and end, and the child would speak for the process that gets the number next.
    ///
    /// The socket refers to the process from the moment it connects, and Linux 6.5 and later give out that reference
    /// (SO_PEERPIDFD). An older kernel tells only the number, so there the process is held only from this call on.
    /// - Returns: nil if the process has ended.
    func process(at channel: any Channel) -> ProcessDescriptor? {
        switch Self.option(lanyard_so_peerpidfd, of: channel, as: Int32.self) {
        case .success(let descriptor): ProcessDescriptor(owning: descriptor)
        case .failure(let error) where (error as? IOError)?.errnoCode == ENOPROTOOPT:
            ProcessDescriptor(processIdentifier)
        case .failure, nil: nil
        }
    }

    /// - Returns: nil if the channel has no such options.
    private static func option<Value: Sendable>(
        _ name: Int32, of channel: any Channel, as type: Value.Type
    ) -> Result<Value, any Error>? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let answer: EventLoopFuture<Value> = provider.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: name))
        let found = NIOLoopBoundBox<Result<Value, any Error>?>(nil, eventLoop: channel.eventLoop)
        answer.whenComplete { found.value = $0 }
        return found.value
    }
}
