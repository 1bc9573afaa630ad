import Foundation
import Outbox
import Storage

/// A message as stored in the queue, with internal ids.
struct StoredNotification: OutboxMessage {
    let id: Int
    let appID: AppID
    let jti: String
    let event: OutgoingNotification.Event
    let attempts: Int
}

extension StoredNotification {
    static let columns = "id, app_id, jti, claims, attempts"

    /// SQL condition for rows whose event ``OutgoingNotification/Event/isLogout``. It is exact: JSON escapes each
    /// quotation mark in a text, so that this one can only be the name of a member, and `JSONEncoder` puts no space
    /// behind it.
    static let isLogout = #"claims LIKE '%"client":%'"#

    init(_ row: Row) throws {
        id = try row["id"]
        appID = try row["app_id"]
        jti = try row["jti"]
        event = try JSONDecoder().decode(
            OutgoingNotification.Event.self, from: Data((try row["claims"] as String).utf8))
        attempts = try row["attempts"]
    }
}
