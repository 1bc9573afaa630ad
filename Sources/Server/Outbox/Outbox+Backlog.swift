import Foundation
import Storage

extension Outbox {
    /// The number of messages that wait or were given up, for the operator.
    package struct Backlog: Equatable, Sendable {
        package let waiting: Int
        package let givenUp: Int
        /// The error of the newest message that has one.
        package let lastError: String?

        package init(waiting: Int, givenUp: Int, lastError: String?) {
            self.waiting = waiting
            self.givenUp = givenUp
            self.lastError = lastError
        }
    }

    package func backlog(in transaction: some Transaction) throws -> Backlog {
        let lastError = try transaction.first(
            "SELECT last_error FROM \(table) WHERE last_error IS NOT NULL ORDER BY id DESC LIMIT 1"
        ) { try $0[0] as String }
        let backlog = try transaction.first(
            """
            SELECT COUNT(CASE WHEN next_attempt_at IS NOT NULL THEN 1 END) AS waiting,
                   COUNT(CASE WHEN next_attempt_at IS NULL THEN 1 END) AS given_up
            FROM \(table)
            """
        ) { Backlog(waiting: try $0["waiting"], givenUp: try $0["given_up"], lastError: lastError) }
        return backlog ?? Backlog(waiting: 0, givenUp: 0, lastError: nil)
    }

    /// How long a message that was given up is kept, so that the operator can see it, in seconds.
    private static let memory: TimeInterval = 30 * 86_400

    package func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM \(table) WHERE next_attempt_at IS NULL AND created_at <= $1",
            [now.addingTimeInterval(-Self.memory)])
    }

    package func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM \(table) WHERE next_attempt_at IS NULL AND created_at <= $1",
            [now.addingTimeInterval(-Self.memory)])
    }
}
