import Foundation
import Ground
import Storage

/// The rotation of refresh tokens, and the detection of their reuse (RFC 9700 §4.14.2): each token is exchanged once
/// for the next, and hashes of spent ones are kept. Whoever shows a spent one ends the grant, because one of two has
/// stolen it.
extension Grant {
    /// The grant whose refresh token was exchanged before, so that showing it again is a reuse.
    static func find(spentRefreshToken: String, in transaction: some Transaction) throws -> Grant? {
        let id = try transaction.first(
            "SELECT grant_id FROM spent_refresh_token WHERE token_hash = $1", [SecretHash(of: spentRefreshToken)]
        ) { try $0[0] as GrantID }
        return try id.flatMap { try find($0, in: transaction) }
    }

    /// Replaces the refresh token. The condition is part of the statement, so that of two simultaneous attempts one
    /// succeeds.
    /// - Parameter exchange: identifies the exchange if it has to be repeated; nil if it cannot be.
    func rotate(
        _ spent: String, to refreshToken: RefreshToken, exchange: SecretHash?, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Bool {
        let hash = SecretHash(of: spent)
        let rotated = try transaction.execute(
            """
            UPDATE access_grant SET refresh_token_hash = $3, last_exchange_hash = $4, used_at = $5
            WHERE id = $1 AND refresh_token_hash = $2
            """, [id, hash, refreshToken.hash, exchange, now])
        guard rotated > 0 else { return false }
        try transaction.execute(
            "INSERT INTO spent_refresh_token (token_hash, grant_id, spent_at) VALUES ($1, $2, $3)", [hash, id, now])
        return true
    }

    /// Repeats the last exchange, whose answer did not arrive. The token of that answer, which was never used, counts
    /// as spent, so that its use reveals a thief.
    /// - Returns: false if `exchange` is not the last exchange.
    func rotateAgain(
        _ exchange: SecretHash, to refreshToken: RefreshToken, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        // With ON CONFLICT, the second of two simultaneous statements does not fail in PostgreSQL, but is tried again.
        let lost = try transaction.execute(
            """
            INSERT INTO spent_refresh_token (token_hash, grant_id, spent_at)
            SELECT refresh_token_hash, id, $3 FROM access_grant
            WHERE id = $1 AND last_exchange_hash = $2 AND refresh_token_hash IS NOT NULL
            ON CONFLICT (token_hash) DO NOTHING
            """, [id, exchange, now])
        guard lost > 0 else { return false }
        try transaction.execute(
            "UPDATE access_grant SET refresh_token_hash = $2 WHERE id = $1", [id, refreshToken.hash])
        return true
    }
}
