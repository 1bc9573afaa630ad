import Directory
import Foundation
import Storage

/// Notifications of the last month that could not be delivered to one app, after days of attempts.
package struct GivenUpNotifications: Sendable {
    package let appID: AppID
    package let count: Int
    /// What went wrong with one of them: a status or the kind of failure.
    package let lastError: String?
}

extension GivenUpNotifications {
    /// How many such notifications there are for one app.
    package static func count(for app: AppID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM notification WHERE app_id = $1 AND next_attempt_at IS NULL", [app]
        ) { try $0[0] } ?? 0
    }

    package static func list(in transaction: some Transaction) throws -> [GivenUpNotifications] {
        try transaction.all(
            """
            SELECT app_id, COUNT(*) AS number, MAX(last_error) AS last_error FROM notification
            WHERE next_attempt_at IS NULL
            GROUP BY app_id
            ORDER BY app_id
            """
        ) { GivenUpNotifications(appID: try $0["app_id"], count: try $0["number"], lastError: try $0["last_error"]) }
    }
}
