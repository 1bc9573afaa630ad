import Foundation
import Ground
import Storage

/// A one-time link with which the first administrator of an organization creates their account.
package struct Invitation: Sendable {
    package let organizationID: OrganizationID
    package let role: Role
    package let expiresAt: Date

    package static let lifetime: TimeInterval = 24 * 3_600
}

extension Invitation {
    /// Makes a new link; earlier ones of the organization become void.
    package static func insert(
        to organization: OrganizationID, as role: Role, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Secret {
        let secret = Secret(from: surroundings)
        try transaction.execute("DELETE FROM invitation WHERE organization_id = $1", [organization])
        try transaction.execute(
            "INSERT INTO invitation (token_hash, organization_id, role, expires_at) VALUES ($1, $2, $3, $4)",
            [secret.hash, organization, role, now.addingTimeInterval(lifetime)])
        return secret
    }

    /// Looks the link up without using it, to show the form.
    package static func find(
        _ secret: String, at now: Date, in transaction: some Transaction
    ) throws -> Invitation? {
        try transaction.first(
            "SELECT organization_id, role, expires_at FROM invitation WHERE token_hash = $1 AND expires_at > $2",
            [SecretHash(of: secret), now]
        ) {
            Invitation(organizationID: try $0["organization_id"], role: try $0["role"], expiresAt: try $0["expires_at"])
        }
    }

    /// Uses the link up. If two use it at the same time, only one succeeds.
    package static func take(
        _ secret: String, at now: Date, in transaction: WriteTransaction
    ) throws -> Invitation? {
        try transaction.first(
            """
            DELETE FROM invitation WHERE token_hash = $1 AND expires_at > $2
            RETURNING organization_id, role, expires_at
            """,
            [SecretHash(of: secret), now]
        ) {
            Invitation(organizationID: try $0["organization_id"], role: try $0["role"], expiresAt: try $0["expires_at"])
        }
    }
}
