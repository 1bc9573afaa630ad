import Foundation
import Storage

extension Person {
    /// The tables of a person's sign-ins, without registered devices. In the order in which signing in writes to them,
    /// so that two transactions do not deadlock.
    static let signInTables = [
        "pending_sign_in", "browser_session", "known_browser", "device_registration_code",
    ]

    /// Ends for good everything that people are signed in to: sessions, and what apps got through them, including codes
    /// that were not redeemed. Known browsers are forgotten, and codes to register a device become void.
    ///
    /// Apps are not told of it: that is up to the caller, or to ``Departure``.
    /// - Parameters:
    ///   - people: SQL that gives their ids, such as `$1` or a `SELECT`.
    ///   - parameters: the parameters of `people`.
    ///   - devices: whether registered devices are removed too.
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
