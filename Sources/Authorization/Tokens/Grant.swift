import Directory
import Foundation
import Storage

/// What one code exchange gave a client under a consent. Its tokens refer to it, so that ending it ends them.
package struct Grant: Sendable {
    package let id: GrantID
    package let consentID: ConsentID
    package let clientID: String
    /// Who consented; the subject of identity tokens.
    package let personID: PersonID
    package let scopes: ScopeSet
    package let authenticatedAt: Date
    package let revokedAt: Date?

    private static let columns = "id, consent_id, client_id, person_id, scopes, authenticated_at, revoked_at"

    private init(_ row: Row) throws {
        id = try row[0]
        consentID = try row[1]
        clientID = try row[2]
        personID = try row[3]
        scopes = try row[4]
        authenticatedAt = try row[5]
        revokedAt = try row[6]
    }
}

package struct GrantID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

extension Grant {
    static func insert(
        for code: AuthorizationCode, refreshToken: RefreshToken, at now: Date, in transaction: WriteTransaction
    ) throws -> Grant {
        try transaction.first(
            """
            INSERT INTO access_grant
                (consent_id, client_id, person_id, scopes, refresh_token_hash, authenticated_at, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            RETURNING \(columns)
            """,
            [
                code.consentID, code.clientID, code.personID, code.scopes, refreshToken.hash, code.authenticatedAt, now,
            ],
            Grant.init
        )!  // an insert without conflict clause returns its row
    }

    static func find(_ id: GrantID, in transaction: some Transaction) throws -> Grant? {
        try transaction.first("SELECT \(columns) FROM access_grant WHERE id = $1", [id], Grant.init)
    }

    static func find(refreshToken: String, in transaction: some Transaction) throws -> Grant? {
        try transaction.first(
            "SELECT \(columns) FROM access_grant WHERE refresh_token_hash = $1", [SecretHash(of: refreshToken)],
            Grant.init)
    }

    /// - Returns: false if it was over before.
    static func revoke(_ id: GrantID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE access_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [id, now]) > 0
    }
}
