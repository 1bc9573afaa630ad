import Authorization
import Directory
import Foundation
import Ground
import Storage

/// A program that administrates an organization on its own, identified by a client id and secret. RFC 6749 §4.4.
package struct APIClient: Sendable {
    let id: Int64
    let organizationID: OrganizationID
    let clientID: String
    let name: String
    let privileges: Set<Privilege>
    let createdAt: Date
    let revokedAt: Date?

    private static let columns = "id, organization_id, client_id, name, privileges, created_at, revoked_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        clientID = try row["client_id"]
        name = try row["name"]
        privileges = Set(stored: try row["privileges"])
        createdAt = try row["created_at"]
        revokedAt = try row["revoked_at"]
    }

    static func insert(
        in organization: OrganizationID, name: String, privileges: Set<Privilege>, secret: SecretHash, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> APIClient {
        try transaction.first(
            """
            INSERT INTO api_client (organization_id, client_id, name, secret_hash, privileges, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            RETURNING \(columns)
            """,
            [
                organization, "api-\(RandomName.make(length: 20, from: surroundings))", name, secret, privileges.text,
                now,
            ], APIClient.init)!  // an insert without conflict clause returns its row
    }

    /// All clients of the organization, revoked ones included, ordered by id.
    static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [APIClient] {
        try transaction.all(
            "SELECT \(columns) FROM api_client WHERE organization_id = $1 ORDER BY id", [organization], APIClient.init)
    }

    static func find(_ clientID: String, in transaction: some Transaction) throws -> APIClient? {
        try transaction.first("SELECT \(columns) FROM api_client WHERE client_id = $1", [clientID], APIClient.init)
    }

    /// The client with this id; nil if there is none, or it is revoked.
    static func find(living id: Int64, in transaction: some Transaction) throws -> APIClient? {
        try transaction.first(
            "SELECT \(columns) FROM api_client WHERE id = $1 AND revoked_at IS NULL", [id], APIClient.init)
    }

    /// The client with this client id and secret; nil if there is none, or it is revoked.
    static func find(
        _ clientID: String, secret: SecretHash, in transaction: some Transaction
    ) throws -> APIClient? {
        try transaction.first(
            "SELECT \(columns) FROM api_client WHERE client_id = $1 AND secret_hash = $2 AND revoked_at IS NULL",
            [clientID, secret], APIClient.init)
    }

    /// Revokes the client and its tokens.
    func revoke(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE api_client SET revoked_at = $2 WHERE id = $1", [id, now])
        try transaction.execute("DELETE FROM api_token WHERE api_client_id = $1", [id])
    }
}

extension APIClient: OperationSubject {
    package var subjectOrganization: OrganizationID? { organizationID }
    package var auditName: String { "api-client:\(id)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organizationID) }
}
