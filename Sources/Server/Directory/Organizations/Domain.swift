import Foundation
import Storage

/// A DNS name that an organization claims; only a verified one may carry its accounts.
package struct Domain: Equatable, Sendable {
    package let name: String
    package let verifiedAt: Date?

    package var isVerified: Bool { verifiedAt != nil }
}

extension Domain {
    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [Domain] {
        try transaction.all(
            "SELECT name, verified_at FROM domain WHERE organization_id = $1 ORDER BY name", [organization]
        ) { Domain(name: try $0["name"], verifiedAt: try $0["verified_at"]) }
    }

    /// Adds a domain, or marks it as verified.
    /// - Throws: ``DirectoryError/domainTaken(_:)`` if another organization has it verified.
    package static func put(
        _ name: String, verifiedAt: Date?, of organization: OrganizationID, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        let name = try FieldRule.domainName.check(name.lowercased(), field: "domain")
        do {
            let changed = try transaction.execute(
                """
                INSERT INTO domain (organization_id, name, verified_at) VALUES ($1, $2, $3)
                ON CONFLICT (organization_id, name) DO UPDATE SET verified_at = EXCLUDED.verified_at
                WHERE domain.verified_at IS NULL AND EXCLUDED.verified_at IS NOT NULL
                """,
                [organization, name, verifiedAt])
            if changed > 0 { try Organization.touch(organization, at: now, in: transaction) }
        } catch DatabaseError.uniqueViolation {
            throw DirectoryError.domainTaken(name)
        }
    }

    /// Whether an email address is in a domain that the organization has verified, so that the organization vouches for
    /// its owner. Subdomains do not count.
    package static func gave(
        _ address: String, of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Bool {
        guard let at = address.lastIndex(of: "@") else { return false }
        return try transaction.exists(
            "SELECT 1 FROM domain WHERE organization_id = $1 AND name = $2 AND verified_at IS NOT NULL",
            [organization, address[address.index(after: at)...].lowercased()])
    }

    /// - Parameter userName: a user name or a format of user names; only the part after `@` is used.
    /// - Throws: ``DirectoryError/domainTaken(_:)`` if another organization has verified the domain, and so owns the
    ///   names in it; ``DirectoryError/outsideOfSandbox(domain:)``.
    package static func check(
        _ userName: String, for organization: OrganizationID?, in transaction: some Transaction
    ) throws {
        if let sandbox = try organization.flatMap({ try Organization.sandboxDomain(of: $0, in: transaction) }),
            !userName.lowercased().hasSuffix("@\(sandbox)")
        {
            throw DirectoryError.outsideOfSandbox(domain: sandbox)
        }
        guard let at = userName.lastIndex(of: "@") else { return }
        let name = userName[userName.index(after: at)...].lowercased()
        let isTaken = try transaction.exists(
            "SELECT 1 FROM domain WHERE name = $1 AND verified_at IS NOT NULL AND organization_id <> $2",
            [name, organization ?? .none])
        if isTaken { throw DirectoryError.domainTaken(name) }
    }

    /// - Returns: false if the organization has no such domain.
    package static func delete(
        _ name: String, of organization: OrganizationID, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        let deleted = try transaction.execute(
            "DELETE FROM domain WHERE organization_id = $1 AND name = $2", [organization, name.lowercased()])
        if deleted > 0 { try Organization.touch(organization, at: now, in: transaction) }
        return deleted > 0
    }
}
