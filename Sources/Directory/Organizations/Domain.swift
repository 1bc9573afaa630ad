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
        ) { Domain(name: try $0[0], verifiedAt: try $0[1]) }
    }

    /// Adds a domain, or marks it as verified.
    /// - Throws: ``DirectoryError/domainTaken(_:)`` if another organization has it verified.
    package static func put(
        _ name: String, verifiedAt: Date?, of organization: OrganizationID, in transaction: WriteTransaction
    ) throws {
        let name = try FieldRule.domainName.check(name.lowercased(), field: "domain")
        do {
            try transaction.execute(
                """
                INSERT INTO domain (organization_id, name, verified_at) VALUES ($1, $2, $3)
                ON CONFLICT (organization_id, name)
                DO UPDATE SET verified_at = COALESCE(domain.verified_at, EXCLUDED.verified_at)
                """,
                [organization, name, verifiedAt])
        } catch DatabaseError.uniqueViolation {
            throw DirectoryError.domainTaken(name)
        }
    }

    /// - Returns: false if the organization has no such domain.
    package static func delete(
        _ name: String, of organization: OrganizationID, in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute(
            "DELETE FROM domain WHERE organization_id = $1 AND name = $2", [organization, name.lowercased()]) > 0
    }
}
