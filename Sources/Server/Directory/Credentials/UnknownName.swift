import Foundation
import Ground
import Storage

/// Counts wrong passwords for names without an account, in the same way as for accounts. Otherwise the waiting times
/// would reveal which names exist.
enum UnknownName {
    /// The maximum number of names kept: far more than are mistyped, and few enough that a stranger with many addresses
    /// cannot fill the disk.
    static let keptMax = 50_000

    static func pausedUntil(_ name: String, in transaction: some Transaction) throws -> Date? {
        try transaction.first("SELECT paused_until FROM unknown_name WHERE name_hash = $1", [hash(name)]) {
            try $0[0] as Date?
        } ?? nil
    }

    static func recordFailure(
        of name: String, at now: Date, in transaction: WriteTransaction
    ) throws -> CountedFailure {
        let failures = try transaction.first(
            """
            INSERT INTO unknown_name (name_hash, failures, failed_at) VALUES ($1, 1, $2)
            ON CONFLICT (name_hash) DO UPDATE SET
                failures = CASE WHEN unknown_name.failed_at > $3 THEN unknown_name.failures + 1 ELSE 1 END,
                failed_at = EXCLUDED.failed_at
            RETURNING failures
            """,
            [hash(name), now, now.addingTimeInterval(-AttemptPause.memory)]
        ) { try $0[0] as Int }
        let counted = CountedFailure(failures: failures ?? 1, at: now)
        try transaction.execute(
            "UPDATE unknown_name SET paused_until = $2 WHERE name_hash = $1", [hash(name), counted.pausedUntil])
        return counted
    }

    /// Deletes names whose count has expired, and the oldest ones beyond ``keptMax``, except those of the same second
    /// as the oldest one kept.
    static func trim(at now: Date, keeping keptMax: Int = keptMax, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM unknown_name WHERE failed_at <= $1", [now.addingTimeInterval(-AttemptPause.memory)])
        try transaction.execute(
            """
            DELETE FROM unknown_name
            WHERE failed_at < (SELECT failed_at FROM unknown_name ORDER BY failed_at DESC LIMIT 1 OFFSET $1)
            """,
            [keptMax])
    }

    /// The hash of the name, after the normalization by which accounts are found.
    private static func hash(_ name: String) -> SecretHash {
        SecretHash(of: ((try? FieldRule.userName.check(name, field: "user name")) ?? name).lowercased())
    }
}
