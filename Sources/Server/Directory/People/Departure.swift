import Foundation
import Storage

/// People who were deactivated, and whose apps have not been told yet. Which apps these are, and how they are told, is not
/// known here: the note makes sure that it is not forgotten, whoever was the one who deactivated them.
package enum Departure {
    /// What ``note(_:_:at:in:)`` empties for these people, in the order in which signing in writes to it.
    package static let tables = Person.signInTables + ["registered_device"]

    /// Ends for good whatever the people had signed in to, their devices included, and notes that they have left. One
    /// statement for each table, however many people leave.
    /// - Parameters:
    ///   - people: SQL that gives their ids, such as `$1` or a `SELECT`.
    ///   - parameters: of it.
    package static func note(
        _ people: String, _ parameters: [any SQLConvertible] = [], at now: Date, in transaction: WriteTransaction
    ) throws {
        try Person.endSignIns(of: people, parameters, devices: true, in: transaction)
        try transaction.execute(
            """
            INSERT INTO departure (person_id, left_at)
            SELECT id, $\(parameters.count + 1) FROM person WHERE id IN (\(people))
            ON CONFLICT (person_id) DO NOTHING
            """,
            parameters + [now])
    }

    /// Some of those whose apps have not been told yet.
    package static func list(limit: Int, in transaction: some Transaction) throws -> [PersonID] {
        try transaction.all("SELECT person_id FROM departure ORDER BY person_id LIMIT $1", [limit]) { try $0[0] }
    }

    /// - Returns: false if somebody else has told them meanwhile.
    package static func take(_ person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM departure WHERE person_id = $1", [person]) > 0
    }
}
