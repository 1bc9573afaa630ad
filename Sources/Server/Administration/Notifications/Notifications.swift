import Authorization
import Directory
import Foundation
import Storage

/// A notification of an app: whether it has arrived, and not what it said or about whom.
package struct NotificationRecord: Codable, Equatable, Sendable {
    /// `jti`, by which the app knows it too.
    package let id: String
    /// Such as `consent-revoked`, or `logout` for a logout token; nil for what was given up, which is not stored any
    /// more.
    package let type: String?
    package let state: LoggedNotification.State
    /// How many attempts there were.
    package let attempts: Int
    package let createdAt: Date
    package let deliveredAt: Date?
    /// When it is tried again, if it waits.
    package let nextAttemptAt: Date?
    /// A status or the kind of failure of the last attempt.
    package let lastError: String?

    init(_ notification: LoggedNotification) {
        id = notification.jti
        type = notification.type
        state = notification.state
        attempts = notification.attempts
        createdAt = notification.createdAt
        deliveredAt = notification.deliveredAt
        nextAttemptAt = notification.nextAttemptAt
        lastError = notification.lastError
    }
}

/// Lists the notifications of an app.
package struct ListNotifications: Inquiry {
    package static let name = "notification.list"
    package static let summary = """
        Lists the notifications and logout tokens of an app of the last month: which have arrived, which wait, and which were \
        given up.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.get, "apps/{app}/notifications", below: .server)
    package static let explanations = [
        "app": AppReference.explanation, "limit": "How many, the newest; 1 000 at most.",
    ]

    package struct Answer: Codable, Sendable {
        /// The newest first.
        package let notifications: [NotificationRecord]
    }

    package let app: AppReference
    package let limit: Int?

    package init(app: AppReference, limit: Int? = nil) {
        self.app = app
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> App {
        try app.findDeveloped(for: Self.privilege, in: context, transaction)
    }

    package func answer(
        about app: App, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: 1_000)
        return Answer(
            notifications: try LoggedNotification.list(of: app.id, limit: limit, in: transaction)
                .map { NotificationRecord($0) })
    }
}

/// Sends a notification that waits for its next attempt at once.
package struct ResendNotification: Change {
    package typealias Answer = NotificationRecord

    package static let name = "notification.resend"
    package static let summary = """
        Sends a notification that waits for its next attempt within seconds. One that was delivered or given up is not sent \
        again, because what it said is not stored any more.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}/notifications/{notification}/resend", below: .server)
    package static let explanations = [
        "app": AppReference.explanation, "notification": "Its id (`jti`), as `notification.list` has it.",
    ]
    package static let undo = UndoRule.impossible("It is sent.")

    package let app: AppReference
    package let notification: String

    package init(app: AppReference, notification: String) {
        self.app = app
        self.notification = notification
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> App {
        try app.findDeveloped(for: Self.privilege, in: context, transaction)
    }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> NotificationRecord {
        guard let found = try LoggedNotification.find(notification, of: app.id, in: act.transaction) else {
            throw OperationError.notFound(.notification, notification, in: app.name)
        }
        guard try LoggedNotification.hurry(notification, of: app.id, at: act.now, in: act.transaction) else {
            throw OperationError.refused(
                found.state == .delivered
                    ? "The notification was delivered, and what it said is not stored any more."
                    : "The notification was given up, and what it said is not stored any more.")
        }
        try act.record(.notificationResent, on: app, called: app.name, found.jti)
        return NotificationRecord(
            try LoggedNotification.find(notification, of: app.id, in: act.transaction) ?? found)
    }
}
