import Foundation
import Storage

/// A table of messages that wait until somebody else has taken them, so that a restart loses none.
///
/// The one place that knows when a message is due, who has it meanwhile, when it is tried again, and when it is given
/// up and forgotten. What a message says, and how it is sent, is its owner's business. The table has at least the
/// columns `id`, `created_at`, `attempts`, `next_attempt_at` (null: given up) and `last_error`.
package struct Outbox: Sendable {
    let table: String
    let secrets: [String]
    package let pauses: [TimeInterval]
    package let lease: TimeInterval

    /// - Parameters:
    ///   - secrets: text columns that are blanked as soon as a message is given up.
    ///   - pauses: seconds before the second, third … attempt. After the last one the message is given up.
    ///   - lease: seconds in which nobody else takes a message that was taken; a crash in the middle of an attempt
    ///     delays it so long. Longer than any attempt takes.
    package init(table: String, secrets: [String], pauses: [TimeInterval], lease: TimeInterval) {
        self.table = table
        self.secrets = secrets
        self.pauses = pauses
        self.lease = lease
    }
}

/// What an outbox has to know of a message.
package protocol OutboxMessage: Sendable {
    var id: Int { get }
    /// How many attempts were made before this one.
    var attempts: Int { get }
}

// MARK: What is due

extension Outbox {
    /// A condition on rows of the table, with ``whenDue(at:)`` as `$1` and `$2`. What is to be sent later than any
    /// pause and lease could have put it was queued by a clock that was ahead, and is due as well.
    package var isDue: String { "(next_attempt_at <= $1 OR next_attempt_at > $2)" }

    package func whenDue(at now: Date) -> [any SQLConvertible] {
        [now, now.addingTimeInterval((pauses.max() ?? 0) + lease)]
    }

    /// Most of the time nothing is due, and a read tells so without writing.
    package func hasDue(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM \(table) WHERE \(isDue)", whenDue(at: now))
    }

    /// Takes up to `limit` messages that are due, the longest due first. Each goes to one taker, for the time of the
    /// lease.
    /// - Parameters:
    ///   - column: takes only messages that have this value in this column.
    ///   - columns: what `read` reads.
    package func take<Message>(
        limit: Int, where column: (name: String, value: any SQLConvertible)? = nil, columns: String, at now: Date,
        in transaction: WriteTransaction, read: (Row) throws -> Message
    ) throws -> [Message] {
        let chosen = column.map { "\($0.name) = $5 AND \(isDue)" } ?? isDue
        return try transaction.all(
            """
            UPDATE \(table) SET next_attempt_at = $3
            WHERE id IN (SELECT id FROM \(table) WHERE \(chosen) ORDER BY next_attempt_at, id LIMIT $4)
            RETURNING \(columns)
            """,
            whenDue(at: now) + [now.addingTimeInterval(lease), limit] + (column.map { [$0.value] } ?? []), read)
    }
}

// MARK: What became of it

extension Outbox {
    /// For a message that was delivered, or that nobody is to get any more.
    package func delete(_ id: Int, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM \(table) WHERE id = $1", [id])
    }

    /// - Parameters:
    ///   - error: what the other side said or the kind of failure; nothing about a person.
    ///   - isPermanent: another attempt would end the same.
    /// - Returns: when the next attempt is due; nil if that was the last, or if somebody else has given the message up
    ///   meanwhile, which then stays so.
    @discardableResult
    package func recordFailure(
        of message: some OutboxMessage, error: String, isPermanent: Bool = false, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Date? {
        let recorded = try recordFailure(
            where: "id = $3", message.id, error: error, isPermanent: isPermanent, at: now, in: transaction)
        guard recorded > 0, !isPermanent, pauses.indices.contains(message.attempts) else { return nil }
        return now.addingTimeInterval(pauses[message.attempts])
    }

    /// The same for all messages of a condition that wait, in which `$1` is the time of now and `$3` is `value`.
    /// - Returns: how many there were.
    @discardableResult
    package func recordFailure(
        where condition: String, _ value: any SQLConvertible, error: String, isPermanent: Bool = false, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Int {
        let isTriedAgain = "attempts < \(isPermanent ? 0 : pauses.count)"
        let cases = pauses.enumerated().map { "WHEN \($0) THEN \(Int($1))" }.joined(separator: " ")
        let blanks = secrets.map { ", \($0) = CASE WHEN \(isTriedAgain) THEN \($0) ELSE '' END" }.joined()
        return try transaction.execute(
            """
            UPDATE \(table)
            SET attempts = attempts + 1, last_error = $2,
                next_attempt_at = CASE WHEN \(isTriedAgain) THEN CAST($1 AS BIGINT) + CASE attempts \(cases) END END
                \(blanks)
            WHERE (\(condition)) AND next_attempt_at IS NOT NULL
            """,
            [now, String(error.prefix(512)), value])
    }

    /// Gives messages up without an attempt: there is nobody to get them, or they are of no use any more.
    /// - Parameter lastError: an SQL expression.
    package func giveUp(
        where condition: String, lastError: String, _ parameters: [any SQLConvertible],
        in transaction: WriteTransaction
    ) throws {
        let blanks = secrets.map { ", \($0) = ''" }.joined()
        try transaction.execute(
            "UPDATE \(table) SET next_attempt_at = NULL, last_error = \(lastError)\(blanks) WHERE \(condition)",
            parameters)
    }
}
