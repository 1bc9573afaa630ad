import Directory
import Foundation
import Ground
import Outbox
import Storage

/// The queue of notifications (webhooks) to apps: takes what is due, and records what was delivered.
package struct NotificationOutbox: Sendable {
    let database: any Database
    let teamIdentifiers: TeamIdentifiers
    let keys: ServerKeys
    /// `iss` of notifications about organizations' consents.
    let rosterIssuer: String
    /// `iss` of notifications about people who sign in.
    let issuer: String
    /// `iss` of logout tokens.
    let standardIssuer: String
    let surroundings: Surroundings
    let now: @Sendable () -> Date

    package init(
        database: any Database, teamIdentifiers: TeamIdentifiers, keys: ServerKeys, rosterIssuer: String,
        issuer: String, standardIssuer: String, surroundings: Surroundings
    ) {
        self.database = database
        self.teamIdentifiers = teamIdentifiers
        self.keys = keys
        self.rosterIssuer = rosterIssuer
        self.issuer = issuer
        self.standardIssuer = standardIssuer
        self.surroundings = surroundings
        now = surroundings.now
    }

    /// The attempts take about three days in all. After that, the operator is told.
    package static let outbox = Outbox(
        table: "notification", secrets: ["claims"],
        pauses: [10, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 43_200, 43_200, 43_200], lease: 60)

    /// Takes up to `limit` messages that are due.
    /// - Parameter limitPerApp: the maximum for one app, so that other apps need not wait for a long queue of one. Nil
    ///   for no limit.
    package func takeDue(limit: Int, limitPerApp: Int? = nil) async throws -> [OutgoingNotification] {
        let now = now()
        guard try await hasDue(at: now) else { return [] }
        let taken = try await database.write { transaction in
            try Self.take(limit: limit, limitPerApp: limitPerApp ?? limit, at: now, in: transaction).compactMap {
                try AddressedNotification($0, of: Self.outbox, in: transaction)
            }
        }
        var notifications: [OutgoingNotification] = []
        for message in taken { notifications.append(try await complete(message, at: now)) }
        return notifications
    }

    /// Whether anything is due, after queueing logout tokens for sessions that have ended.
    private func hasDue(at now: Date) async throws -> Bool {
        let (isDue, hasEnded) = try await database.read {
            (try Self.outbox.hasDue(at: now, in: $0), try ClientSession.hasEnded(in: $0))
        }
        guard hasEnded else { return isDue }
        try await database.write { [surroundings] in
            try OutgoingNotification.enqueueLogouts(
                ofEndedSessions: 200, at: now, surroundings: surroundings, in: $0)
        }
        return true
    }

    private static func take(
        limit: Int, limitPerApp: Int, at now: Date, in transaction: WriteTransaction
    ) throws -> [StoredNotification] {
        // In random order: if there are always more apps than fit, each gets its turn.
        let apps = try transaction.all(
            """
            SELECT id FROM app
            WHERE EXISTS (SELECT 1 FROM notification WHERE app_id = app.id AND \(outbox.isDue))
            ORDER BY RANDOM()
            """,
            outbox.whenDue(at: now)
        ) { try $0[0] as AppID }
        var taken: [StoredNotification] = []
        for app in apps where taken.count < limit {
            taken += try outbox.take(
                limit: min(limitPerApp, limit - taken.count), where: ("app_id", app),
                columns: StoredNotification.columns, at: now, in: transaction, read: StoredNotification.init)
        }
        return taken
    }

    package func recordDelivery(of notification: OutgoingNotification) async throws {
        let now = now()
        try await database.write { transaction in
            try ErasureNotice.acknowledge(notification.jti, at: now, in: transaction)
            try LoggedNotification.note(notification, at: now, in: transaction)
            // A delivered message is deleted, because it holds personal data such as the owner of a hidden address.
            try Self.outbox.delete(notification.id, in: transaction)
        }
    }

    /// Records a failed attempt. The content of a message is deleted when it is given up.
    /// - Parameters:
    ///   - error: a status or the kind of failure; nothing that the app has sent.
    ///   - isSilence: whether there was no answer at all. Then all other messages due for the same address count as
    ///     tried too, so that an unreachable app costs the time of one attempt, however many messages wait for it.
    /// - Returns: when the next attempt is due; nil if that was the last.
    @discardableResult
    package func recordFailure(
        of notification: OutgoingNotification, error: String, isSilence: Bool = false
    ) async throws -> Date? {
        let now = now()
        return try await database.write { transaction in
            let next = try Self.outbox.recordFailure(of: notification, error: error, at: now, in: transaction)
            if isSilence {
                // Logout tokens go to an address of their own.
                let isSameAddress = "\(notification.isLogout ? "" : "NOT ")(\(StoredNotification.isLogout))"
                try Self.outbox.recordFailure(
                    where: "app_id = $3 AND next_attempt_at <= $1 AND \(isSameAddress)", notification.appID,
                    error: error, at: now, in: transaction)
            }
            return next
        }
    }
}
