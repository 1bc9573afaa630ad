import CLinux
import NIOCore

#if canImport(Glibc)
    import Glibc
#endif

/// The process at the other end of a Unix socket, as the kernel tells it: nobody can claim to be another.
struct Peer: Sendable, Hashable {
    let processIdentifier: Int32
    let user: UInt32

    /// `struct ucred`, which Swift does not see.
    private struct Credentials: Sendable {
        var processIdentifier: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    init(processIdentifier: Int32, user: UInt32) {
        self.processIdentifier = processIdentifier
        self.user = user
    }

    /// - Parameter channel: on the event loop that this is called on, where it answers at once.
    /// - Returns: nil if it is no Unix socket, or the other end is in a namespace that this process does not know.
    init?(of channel: any Channel) {
        guard case .success(let credentials) = Self.option(lanyard_so_peercred, of: channel, as: Credentials.self),
            credentials.processIdentifier > 0
        else { return nil }
        processIdentifier = credentials.processIdentifier
        user = credentials.user
    }

    /// The process that made the connection, and none that got its number later: a program could otherwise leave its
    /// connection to a child, end, and have the child speak in the name of whoever has the number then.
    ///
    /// The socket keeps hold of it from the moment it connected, and since Linux 6.5 hands it out (SO_PEERPIDFD). An
    /// older kernel tells the number alone; there this holds only from now on.
    /// - Returns: nil if it has ended.
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
