import Foundation
import Ground
import Storage

/// The memory of signed assertions, of clients and of devices, that are good for one use. RFC 7523 §3, item 7.
package enum UsedAssertion {
    package static func isNoted(_ use: SecretHash, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM used_assertion WHERE assertion_hash = $1", [use])
    }

    /// Notes a use: of many who show the same assertion at once, one is the first.
    /// - Parameters:
    ///   - use: what the assertion is known by.
    ///   - end: from when on nobody would take it any more; then it is forgotten.
    /// - Returns: false if it was used before.
    package static func note(
        _ use: SecretHash, until end: Date, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute("DELETE FROM used_assertion WHERE expires_at <= $1", [now])
        return try transaction.execute(
            """
            INSERT INTO used_assertion (assertion_hash, expires_at) VALUES ($1, $2)
            ON CONFLICT (assertion_hash) DO NOTHING
            """,
            [use, end]) > 0
    }
}
