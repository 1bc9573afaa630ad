/// The process at the other end of a Unix socket, as the kernel tells it: nobody can claim to be another.
struct Peer: Sendable, Hashable {
    let processIdentifier: Int32
    let user: UInt32

    /// `struct ucred`, which Swift does not see.
    struct Credentials: Sendable {
        var processIdentifier: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    /// - Returns: nil if the other end is in a namespace that this process does not know.
    init?(_ credentials: Credentials) {
        guard credentials.processIdentifier > 0 else { return nil }
        processIdentifier = credentials.processIdentifier
        user = credentials.user
    }
}
