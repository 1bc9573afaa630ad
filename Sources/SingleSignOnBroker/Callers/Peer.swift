import CLinux
import NIOCore

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

    /// - Parameter channel: on the event loop that this is called on, where it answers at once.
    /// - Returns: nil if it is no Unix socket, or the other end is in a namespace that this process does not know.
    init?(of channel: any Channel) {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let answer: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: lanyard_so_peercred))
        let found = NIOLoopBoundBox<Credentials?>(nil, eventLoop: channel.eventLoop)
        answer.whenSuccess { found.value = $0 }
        guard let credentials = found.value, credentials.processIdentifier > 0 else { return nil }
        processIdentifier = credentials.processIdentifier
        user = credentials.user
    }
}
