import Foundation
import Storage

extension Person {
    /// Where the database keeps what the person signs in with and to, but for registered devices. In the order in which
    /// signing in writes to them, so that two transactions do not wait for each other.
    static let signInTables = ["browser_session", "known_browser", "device_registration_code"]

    /// Ends for good whatever people have signed in to: sessions, and all that apps got by them, codes that nobody has
    /// redeemed included. No browser is known any more, and no code registers a device.
    ///
    /// Apps are not told: that is for whoever calls it, or for ``Departure``.
    /// - Parameters:
    ///   - people: SQL that gives their ids, such as `$1` or a `SELECT`.
    ///   - parameters: of it.
    ///   - devices: whether registered devices go too.
    package static func endSignIns(
        of people: String, _ parameters: [any SQLConvertible] = [], devices: Bool = false,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "UPDATE person SET sign_in_version = sign_in_version + 1 WHERE id IN (\(people))", parameters)
        for table in devices ? Departure.tables : signInTables {
            try transaction.execute("DELETE FROM \(table) WHERE person_id IN (\(people))", parameters)
        }
    }
}
