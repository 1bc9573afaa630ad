import Directory
import Foundation
import Storage

/// A notification as the developers of its app see it: whether it has arrived, and not what it said or about whom.
package struct LoggedNotification: Equatable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        case delivered
        case waiting
        /// No attempt has reached the app, and there is none any more.
        case givenUp = "given-up"
    }

    package let jti: String
    /// Nil if it was given up: then what it said is deleted.
    package let type: String?
    package let state: State
    /// How many attempts there were.
    package let attempts: Int
    package let createdAt: Date
    package let deliveredAt: Date?
    package let nextAttemptAt: Date?
    /// A status or the kind of failure.
    package let lastError: String?

    /// How long deliveries are remembered, in seconds.
    private static let memory: TimeInterval = 30 * 86_400
}

extension LoggedNotification {
    /// The newest notifications of an app, in this order.
    package static func list(of app: AppID, limit: Int, in transaction: some Transaction) throws -> [LoggedNotification]
    {
        let delivered = try transaction.all(
            """
            SELECT jti, type, attempts, created_at, delivered_at FROM notification_delivery
            WHERE app_id = $1 ORDER BY id DESC LIMIT $2
            """, [app, limit]
        ) { row in
            LoggedNotification(
                jti: try row["jti"], type: try row["type"], state: .delivered, attempts: try row["attempts"],
                createdAt: try row["created_at"], deliveredAt: try row["delivered_at"], nextAttemptAt: nil,
                lastError: nil)
        }
        let others = try transaction.all(
            """
            SELECT jti, claims, attempts, created_at, next_attempt_at, last_error FROM notification
            WHERE app_id = $1 ORDER BY id DESC LIMIT $2
            """, [app, limit]
        ) { row in
            let next: Date? = try row["next_attempt_at"]
            let event = try? JSONDecoder().decode(
                OutgoingNotification.Event.self, from: Data((try row["claims"] as String).utf8))
            return LoggedNotification(
                jti: try row["jti"], type: event?.type, state: next == nil ? .givenUp : .waiting,
                attempts: try row["attempts"], createdAt: try row["created_at"], deliveredAt: nil,
                nextAttemptAt: next, lastError: try row["last_error"])
        }
        return Array((delivered + others).sorted { $0.createdAt > $1.createdAt }.prefix(limit))
    }

    /// The notification with this `jti`; nil if the app has none, or it is not remembered any more.
    package static func find(
        _ jti: String, of app: AppID, in transaction: some Transaction
    ) throws -> LoggedNotification? {
        try list(of: app, limit: .max, in: transaction).first { $0.jti == jti }
    }

    /// How long a notification waits before the app counts as failing, in seconds.
    private static let latenessMin: TimeInterval = 3_600

    /// How many notifications of an app have waited for an hour or longer. None if no attempt has failed, so that the app is not
    /// to blame.
    package static func countLate(for app: AppID, at now: Date, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            """
            SELECT COUNT(*) AS number, MAX(attempts) AS attempts FROM notification
            WHERE app_id = $1 AND next_attempt_at IS NOT NULL AND created_at <= $2
            """, [app, now.addingTimeInterval(-latenessMin)]
        ) { row in
            let attempts: Int? = try row["attempts"]
            return attempts ?? 0 > 0 ? try row["number"] : 0
        } ?? 0
    }

    /// Has a notification that waits sent as soon as the server looks for those that are due.
    /// - Returns: false if it does not wait.
    package static func hurry(
        _ jti: String, of app: AppID, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE notification SET next_attempt_at = $3
            WHERE app_id = $1 AND jti = $2 AND next_attempt_at IS NOT NULL
            """, [app, jti, now]) > 0
    }

    // MARK: Deliveries

    /// Remembers that a notification of the queue was delivered; call it before the message is deleted.
    static func note(_ notification: OutgoingNotification, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO notification_delivery (app_id, jti, type, attempts, created_at, delivered_at)
            SELECT app_id, jti, $2, attempts + 1, created_at, $3 FROM notification WHERE id = $1
            """, [notification.id, notification.type, now])
    }

    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM notification_delivery WHERE delivered_at <= $1", [now.addingTimeInterval(-memory)])
    }

    package static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM notification_delivery WHERE delivered_at <= $1", [now.addingTimeInterval(-memory)])
    }
}
