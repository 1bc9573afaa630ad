import Foundation
import Ground
import Storage

extension Grant {
    /// The grant whose refresh token was exchanged for another one before.
    static func find(spentRefreshToken: String, in transaction: some Transaction) throws -> Grant? {
        let id = try transaction.first(
            "SELECT grant_id FROM spent_refresh_token WHERE token_hash = $1", [SecretHash(of: spentRefreshToken)]
        ) { try $0[0] as GrantID }
        return try id.flatMap { try find($0, in: transaction) }
    }

    /// Puts another refresh token in the place of one. The condition is part of the statement: of two who try at once,
    /// one succeeds.
    /// - Parameter exchange: what the exchange is known by if it has to be made again; nil: by nothing.
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

    /// Makes the last exchange again, whose answer did not arrive: the token that nobody has shown is spent too, so that
    /// showing it tells of a thief.
    /// - Returns: false if the last exchange was another one.
    func rotateAgain(
        _ exchange: SecretHash, to refreshToken: RefreshToken, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        // Of two who come at once PostgreSQL lets the second try again, if it may not simply fail on the first one's row.
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
