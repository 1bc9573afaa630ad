import Foundation
import Storage

/// A table of messages to be delivered, kept in the database so that a restart loses none.
///
/// It decides when a message is due, leases it to one sender at a time, schedules retries, and gives up and finally
/// deletes a message. The content of messages and how they are sent is left to the caller. The table has at least the
/// columns `id`, `created_at`, `attempts`, `next_attempt_at` (null: given up) and `last_error`.
package struct Outbox: Sendable {
    let table: String
    let secrets: [String]
    package let pauses: [TimeInterval]
    package let lease: TimeInterval

    /// - Parameters:
    ///   - secrets: text columns that are blanked when a message is given up.
    ///   - pauses: seconds before the second, third, … attempt. If the attempt after the last pause fails, the message
    ///     is given up.
    ///   - lease: seconds for which a message that was taken is not given to another sender. It must be longer than any
    ///     attempt takes; after a crash during an attempt, the message waits this long.
    package init(table: String, secrets: [String], pauses: [TimeInterval], lease: TimeInterval) {
        self.table = table
        self.secrets = secrets
        self.pauses = pauses
        self.lease = lease
    }
}

/// What an outbox needs to know about a message.
package protocol OutboxMessage: Sendable {
    var id: Int { get }
    /// How many attempts have failed so far.
    var attempts: Int { get }
}

// MARK: Due messages

extension Outbox {
    /// An SQL condition for rows that are due, with ``whenDue(at:)`` as `$1` and `$2`. An attempt that lies further in
    /// the future than the longest pause and lease was scheduled by a clock that was ahead, so it is due as well.
    package var isDue: String { "(next_attempt_at <= $1 OR next_attempt_at > $2)" }

    package func whenDue(at now: Date) -> [any SQLConvertible] {
        [now, now.addingTimeInterval((pauses.max() ?? 0) + lease)]
    }

    /// Whether a message is due. Usually none is, and then a read avoids a write transaction.
    package func hasDue(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM \(table) WHERE \(isDue)", whenDue(at: now))
    }

    /// Takes up to `limit` messages that are due, the longest due first, and leases each to the caller.
    /// - Parameters:
    ///   - column: if given, only messages with this value in this column are taken.
    ///   - columns: the columns that `read` uses, separated by commas.
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

// MARK: Results

extension Outbox {
    /// Deletes a message that was delivered or is no longer wanted.
    package func delete(_ id: Int, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM \(table) WHERE id = $1", [id])
    }

    /// - Parameters:
    ///   - error: the other side's message or the kind of failure; no data about a person.
    ///   - isPermanent: whether another attempt would fail the same way.
    /// - Returns: when the next attempt is due; nil if there will be none, also because the message was given up
    ///   meanwhile.
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

    /// The same for all waiting messages that match `condition`, an SQL expression in which `$1` is `now` and `$3` is
    /// `value`.
    /// - Returns: the number of these messages.
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

    /// Gives up messages without an attempt, because they have no recipient or have expired.
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
