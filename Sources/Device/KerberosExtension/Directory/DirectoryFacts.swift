import Ground
import KerberosDomain
import KerberosProfile
import NameServers
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the directory of a domain says of somebody, and is kept until it is asked again.
struct DirectoryFacts: Codable, Equatable, Sendable {
    /// With the realm.
    let principal: String
    let askedAt: Date
    var userPrincipalName: String?
    /// As the directory has it, such as `\\\\files\\home\\mika`.
    var homeDirectory: String?
    /// nil if it never expires, or nobody says it.
    var passwordExpires: Date?
    /// nil unless the directory says it.
    var passwordNeverExpires: Bool?
    var passwordChanged: Date?

    private enum Attribute {
        static let account = "sAMAccountName"
        static let userPrincipalName = "userPrincipalName"
        static let home = "homeDirectory"
        static let passwordSet = "pwdLastSet"
        /// Active Directory reckons it from all policies ([MS-ADTS] 3.1.1.4.5.32).
        static let passwordExpires = "msDS-UserPasswordExpiryTimeComputed"
        static let all = [userPrincipalName, home, passwordSet, passwordExpires]
    }

    /// Asks a controller, with a ticket of the person's own.
    /// - Parameters:
    ///   - domain: in small letters.
    ///   - limit: how long the controller has for all of it.
    /// - Returns: nil if the directory does not know the account.
    /// - Throws: what ``DirectoryConnection`` throws
    static func ask(
        _ address: SocketAddress, host: String, of ticket: Ticket, domain: String,
        protectedBy protection: DirectoryConnection.Protection, within limit: Duration, now: Date
    ) throws -> DirectoryFacts? {
        guard let at = ticket.principal.lastIndex(of: "@") else { return nil }
        let connection = try DirectoryConnection(
            address, host: host, cache: ticket.cache, protectedBy: protection, within: limit)
        let base = domain.split(separator: ".").map { "DC=\($0)" }.joined(separator: ",")
        let found = try connection.find(
            String(ticket.principal[..<at]), of: Attribute.account, below: base, reading: Attribute.all)
        return found.map { DirectoryFacts($0, of: ticket.principal, now: now) }
    }

    /// - Parameter found: values by the attribute's name in small letters.
    init(_ found: [String: String], of principal: String, now: Date) {
        func text(_ name: String) -> String? {
            found[name.lowercased()].flatMap { $0.inOneLine() == $0 && !$0.isEmpty ? $0 : nil }
        }
        self.principal = principal
        askedAt = now
        userPrincipalName = text(Attribute.userPrincipalName)
        homeDirectory = text(Attribute.home)
        passwordExpires = text(Attribute.passwordExpires).flatMap(Self.date)
        passwordNeverExpires = text(Attribute.passwordExpires) == "\(Int64.max)" ? true : nil
        passwordChanged = text(Attribute.passwordSet).flatMap(Self.date)
    }

    func isFresh(at now: Date) -> Bool { (0..<Directory.freshness).contains(now.timeIntervalSince(askedAt)) }

    /// Tenths of microseconds since 1601 ([MS-DTYP] 2.3.3). 0 and the largest number are no time.
    private static func date(_ text: String) -> Date? {
        guard let number = Int64(text), number > 0, number < .max else { return nil }
        return Date(timeIntervalSince1970: Double(number) / 10_000_000 - 11_644_473_600)
    }
}

/// Asks directories and keeps what they say.
struct Directory: Sendable {
    let folder: ExtensionFolder
    private let names = NameServers(width: 2)

    /// How long what was said counts.
    static let freshness: TimeInterval = 3600
    /// How long a request waits for what all controllers say.
    static let patience = Duration.seconds(5)

    init(folder: ExtensionFolder) { self.folder = folder }

    private static func file(_ realm: String) -> String { "directory-\(realm).json" }

    func known(_ realm: String) -> DirectoryFacts? {
        folder.read(Self.file(realm)).flatMap { try? JSONDecoder().decode(DirectoryFacts.self, from: $0) }
    }

    func keep(_ facts: DirectoryFacts, _ realm: String) throws {
        try folder.write(JSONEncoder().encode(facts), to: Self.file(realm))
    }

    func forget(_ realm: String) { folder.remove(Self.file(realm)) }

    /// The addresses of controllers, the best one first.
    /// - Parameter controllers: such as `dc1.corp.test:389`.
    func addresses(of controllers: [String]) async -> [(host: String, address: SocketAddress)] {
        var found: [(String, SocketAddress)] = []
        for controller in controllers.prefix(2) {
            let parts = controller.split(separator: ":")
            guard parts.count == 2, let port = UInt16(parts[1]),
                let first = try? await names.addresses(of: String(parts[0]), port: port).first
            else { continue }
            found.append((String(parts[0]), first))
        }
        return found
    }
}
