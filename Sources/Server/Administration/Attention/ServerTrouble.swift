import Synchronization

/// Something that is wrong with the server itself. Whoever runs it mends it; whoever looks after an organization should know.
package enum ServerTrouble: String, Codable, CaseIterable, Sendable {
    /// There is no copy of the database from the last two days.
    case backup
    /// What answers at the server's address is not trusted, or its certificate ends within two weeks.
    case certificate
    /// The mail server takes no mail.
    case mailServer = "mail-server"
    /// There is hardly any room left on the disk.
    case diskSpace = "disk-space"
    /// Other users of the machine can read what is secret, or the key of it is gone.
    case secrets
    /// The key with which profiles for devices are signed cannot be used, or its certificate ends within 30 days.
    case profileSigning = "profile-signing"
    /// The settings have a mistake, with which the server would not start again.
    case settings
}

/// What is wrong with the server, as it was found the last time that it was looked at.
package final class ServerCondition: Sendable {
    private let found = Mutex<[ServerTrouble]>([])

    package init() {}

    package var troubles: [ServerTrouble] { found.withLock { $0 } }

    package func note(_ troubles: [ServerTrouble]) { found.withLock { $0 = troubles } }
}
