import Directory
import Foundation
import Storage

/// An app that its team offers to another. It stays with its team until the other accepts.
package struct AppOffer: Equatable, Sendable {
    package let appID: AppID
    /// The team that may accept.
    package let to: TeamID
    package let offeredAt: Date

    /// 14 days, in seconds.
    package static let lifetime: TimeInterval = 14 * 86_400

    private static let columns = "app_id, to_team_id, offered_at"

    private init(_ row: Row) throws {
        appID = try row["app_id"]
        to = try row["to_team_id"]
        offeredAt = try row["offered_at"]
    }
}

extension AppOffer {
    /// Offers an app, in place of an offer that was there.
    package static func put(
        _ app: AppID, to team: TeamID, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO app_offer (app_id, to_team_id, offered_at) VALUES ($1, $2, $3)
            ON CONFLICT (app_id) DO UPDATE SET to_team_id = EXCLUDED.to_team_id, offered_at = EXCLUDED.offered_at
            """, [app, team, now])
    }

    /// - Returns: false if the app was not offered.
    @discardableResult
    package static func delete(_ app: AppID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM app_offer WHERE app_id = $1", [app]) > 0
    }

    /// The offer of an app, if it still counts.
    package static func find(_ app: AppID, at now: Date, in transaction: some Transaction) throws -> AppOffer? {
        try transaction.first(
            "SELECT \(columns) FROM app_offer WHERE app_id = $1 AND offered_at > $2",
            [app, now.addingTimeInterval(-lifetime)], AppOffer.init)
    }

    /// The offer of an app, also one that does not count any more.
    package static func find(_ app: AppID, in transaction: some Transaction) throws -> AppOffer? {
        try transaction.first("SELECT \(columns) FROM app_offer WHERE app_id = $1", [app], AppOffer.init)
    }

    /// The offers to a team that still count.
    package static func list(to team: TeamID, at now: Date, in transaction: some Transaction) throws -> [AppOffer] {
        try transaction.all(
            "SELECT \(columns) FROM app_offer WHERE to_team_id = $1 AND offered_at > $2 ORDER BY offered_at, app_id",
            [team, now.addingTimeInterval(-lifetime)], AppOffer.init)
    }
}
