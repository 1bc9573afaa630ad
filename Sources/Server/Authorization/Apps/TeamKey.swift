import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A key with which a team signs its client secrets. The server has the public half only.
package struct TeamKey: Sendable {
    /// 10 characters; `kid` of client secrets.
    package let keyID: String
    package let teamID: TeamID
    package let name: String
    package let publicKeyPEM: String
    package let createdAt: Date
    package let revokedAt: Date?

    private static let columns = "key_id, team_id, name, public_key, created_at, revoked_at"

    private init(_ row: Row) throws {
        keyID = try row["key_id"]
        teamID = try row["team_id"]
        name = try row["name"]
        publicKeyPEM = try row["public_key"]
        createdAt = try row["created_at"]
        revokedAt = try row["revoked_at"]
    }
}

extension TeamKey {
    /// - Parameter publicKey: handed in, or made together with its private half by the command line, which
    ///   gives that out once and forgets it.
    package static func insert(
        _ publicKey: P256.Signing.PublicKey, name: String, of team: TeamID, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> TeamKey {
        try transaction.first(
            """
            INSERT INTO team_key (key_id, team_id, name, public_key, created_at) VALUES ($1, $2, $3, $4, $5)
            RETURNING \(columns)
            """,
            [
                ShortID.make(from: surroundings), team, try FieldRule.name.check(name, field: "key name"),
                publicKey.pemRepresentation, now,
            ],
            TeamKey.init
        )!  // an insert without conflict clause returns its row
    }

    package static func find(_ keyID: String, in transaction: some Transaction) throws -> TeamKey? {
        try transaction.first("SELECT \(columns) FROM team_key WHERE key_id = $1", [keyID], TeamKey.init)
    }

    package static func list(of team: TeamID, in transaction: some Transaction) throws -> [TeamKey] {
        try transaction.all(
            "SELECT \(columns) FROM team_key WHERE team_id = $1 ORDER BY created_at, key_id", [team], TeamKey.init)
    }

    /// From the next call on, nothing that the key signed is accepted.
    /// - Returns: false if it was revoked before.
    package func revoke(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE team_key SET revoked_at = $2 WHERE key_id = $1 AND revoked_at IS NULL", [keyID, now]) > 0
    }
}
