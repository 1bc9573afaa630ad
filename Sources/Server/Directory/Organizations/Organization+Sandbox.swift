import Foundation
import Storage

/// A sandbox: an organization that a team of app developers has made to try its apps, and whose administrator is anybody.
/// So nothing of it may be mistaken for another organization, or reach beyond the server.
extension Organization {
    /// What the name of every sandbox ends with, because people see it where they sign in.
    package static let sandboxSuffix = " (sandbox)"

    /// Makes the organization a sandbox, in which all user names are in this domain.
    package func becomeSandbox(
        domain: String, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute("UPDATE organization SET sandbox_domain = $2 WHERE id = $1", [id, domain])
        // A verified domain keeps everybody else from having a user name in it.
        try Domain.put(domain, verifiedAt: now, of: id, at: now, in: transaction)
    }

    /// The domain of all user names of the organization, if it is a sandbox.
    package static func sandboxDomain(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> String? {
        try transaction.first(
            "SELECT sandbox_domain FROM organization WHERE id = $1 AND sandbox_domain IS NOT NULL", [organization]
        ) { try $0[0] }
    }

    /// Whether the person belongs to a sandbox.
    package static func isSandbox(of person: PersonID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM person JOIN organization ON organization.id = person.organization_id
            WHERE person.id = $1 AND organization.sandbox_domain IS NOT NULL
            """, [person])
    }
}
