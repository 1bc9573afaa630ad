import Foundation
import Storage

/// People who were deactivated and whose apps still have to be told. This room does not know the apps: it keeps a note,
/// so that telling them is not forgotten, whichever way the person was deactivated.
package enum Departure {
    /// The tables from which ``note(_:_:at:in:)`` deletes, in the order in which signing in writes to them, so that two
    /// transactions do not deadlock.
    package static let tables = Person.signInTables + ["registered_device"]

    /// Ends for good everything that the people are signed in to, including their devices, and notes that they have
    /// left. One statement for each table, however many people there are.
    /// - Parameters:
    ///   - people: SQL that gives their ids, such as `$1` or a `SELECT`.
    ///   - parameters: the parameters of `people`.
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

    /// Up to `limit` people whose apps have not been told yet.
    package static func list(limit: Int, in transaction: some Transaction) throws -> [PersonID] {
        try transaction.all("SELECT person_id FROM departure ORDER BY person_id LIMIT $1", [limit]) { try $0[0] }
    }

    /// Up to `limit` people of an organization whose apps have not been told yet.
    package static func list(
        of organization: OrganizationID, limit: Int, in transaction: some Transaction
    ) throws -> [PersonID] {
        try transaction.all(
            """
            SELECT person_id FROM departure JOIN person ON person.id = departure.person_id
            WHERE person.organization_id = $1 ORDER BY person_id LIMIT $2
            """, [organization, limit]
        ) { try $0[0] }
    }

    /// Whether apps are still to be told of people of the organization.
    package static func isWaiting(for organization: OrganizationID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM departure JOIN person ON person.id = departure.person_id WHERE person.organization_id = $1
            """, [organization])
    }

    /// - Returns: false if another process has taken the person already.
    package static func take(_ person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM departure WHERE person_id = $1", [person]) > 0
    }
}
