import Authorization
import Directory
import Foundation
import Storage

/// A sender that may write to the hidden addresses of a team: a whole domain, or one address. A subdomain is a domain
/// of its own.
package struct RelaySender: Equatable, Sendable {
    /// A domain name or an address, in lower case.
    package let name: String
    package let createdAt: Date

    /// Maximum number per team.
    package static let countMax = 100

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case tooMany
        case relayDomain(String)

        package var description: String {
            switch self {
            case .tooMany: "A team has at most \(countMax) senders. Remove one that is not used any more."
            case .relayDomain(let name): "\(name) is the relay's own domain, from which no app writes."
            }
        }
    }
}

extension RelaySender {
    /// - Parameters:
    ///   - name: a domain name or an address, in upper or lower case.
    ///   - relayDomain: the domain of this server's relay, if it has one.
    /// - Returns: false if the team had the sender already.
    /// - Throws: ``Problem``, ``DirectoryError/invalidField(field:reason:)``
    package static func insert(
        _ name: String, for team: TeamID, relayDomain: String?, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        let name = try check(name)
        let domain = name.split(separator: "@").last.map(String.init) ?? name
        if let relayDomain, domain == relayDomain || domain.hasSuffix("." + relayDomain) {
            throw Problem.relayDomain(domain)
        }
        let inserted = try transaction.execute(
            "INSERT INTO relay_sender (team_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [team, name, now])
        let count = try transaction.first("SELECT COUNT(*) FROM relay_sender WHERE team_id = $1", [team]) {
            try $0[0] as Int
        }
        guard count ?? 0 <= countMax else { throw Problem.tooMany }
        return inserted > 0
    }

    /// - Returns: the name as it is stored.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package static func check(_ name: String) throws -> String {
        let name = name.lowercased()
        return name.contains("@")
            ? try FieldRule.email.check(name, field: "sender") : try FieldRule.domainName.check(name, field: "sender")
    }

    /// - Returns: false if the team had no such sender.
    package static func delete(_ name: String, of team: TeamID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "DELETE FROM relay_sender WHERE team_id = $1 AND name = $2", [team, name.lowercased()]) > 0
    }

    /// The senders of a team, sorted by name.
    package static func list(of team: TeamID, in transaction: some Transaction) throws -> [RelaySender] {
        try transaction.all(
            "SELECT name, created_at FROM relay_sender WHERE team_id = $1 ORDER BY name", [team]
        ) { RelaySender(name: try $0["name"], createdAt: try $0["created_at"]) }
    }
}
