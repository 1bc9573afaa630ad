import Foundation
import Storage

package struct TermID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A term or a school year, to which classes belong. They are archived when it is closed.
package struct Term: Equatable, Sendable {
    package let id: TermID
    package let organizationID: OrganizationID
    package let name: String
    package let firstDay: CalendarDay
    package let lastDay: CalendarDay
    /// The only place of its classes; nil for all places.
    package let location: LocationID?
    package let closedAt: Date?

    private static let columns = "id, organization_id, name, first_day, last_day, location_id, closed_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        name = try row["name"]
        firstDay = try row["first_day"]
        lastDay = try row["last_day"]
        location = try row["location_id"]
        closedAt = try row["closed_at"]
    }

    package static func find(_ id: TermID, in transaction: some Transaction) throws -> Term? {
        try transaction.first("SELECT \(columns) FROM term WHERE id = $1", [id], Term.init)
    }

    package static func find(
        _ name: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Term? {
        try transaction.first(
            "SELECT \(columns) FROM term WHERE organization_id = $1 AND name = $2", [organization, name], Term.init)
    }

    /// All terms, closed ones included, in the order in which they begin.
    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws -> [Term] {
        try transaction.all(
            "SELECT \(columns) FROM term WHERE organization_id = $1 ORDER BY first_day, id", [organization], Term.init)
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package static func insert(
        in organization: OrganizationID, name: String, firstDay: CalendarDay, lastDay: CalendarDay,
        location: LocationID?, at now: Date, in transaction: WriteTransaction
    ) throws -> Term {
        try check(firstDay, lastDay)
        return try transaction.first(
            """
            INSERT INTO term (organization_id, name, first_day, last_day, location_id, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            RETURNING \(columns)
            """,
            [organization, try FieldRule.name.check(name, field: "term name"), firstDay, lastDay, location, now],
            Term.init)!  // an insert without conflict clause returns its row
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func update(
        name: String, firstDay: CalendarDay, lastDay: CalendarDay, in transaction: WriteTransaction
    ) throws {
        try Self.check(firstDay, lastDay)
        try transaction.execute(
            "UPDATE term SET name = $2, first_day = $3, last_day = $4 WHERE id = $1",
            [id, try FieldRule.name.check(name, unlessStill: self.name, field: "term name"), firstDay, lastDay])
    }

    private static func check(_ firstDay: CalendarDay, _ lastDay: CalendarDay) throws {
        guard firstDay <= lastDay else {
            throw DirectoryError.invalidField(field: "last day", reason: "is before the first one")
        }
    }
}

// MARK: Its classes

extension Term {
    /// How many of the term's classes apps see.
    /// - Parameter limit: the number at which counting ends.
    package func livingClasses(limit: Int = .max, in transaction: some Transaction) throws -> Int {
        try count("archived_at IS NULL", limit: limit, in: transaction)
    }

    /// How many classes were archived when the term was closed, and still are.
    /// - Parameter limit: the number at which counting ends.
    package func closedClasses(limit: Int = .max, in transaction: some Transaction) throws -> Int {
        guard let closedAt else { return 0 }
        return try count("archived_at = $2", closedAt, limit: limit, in: transaction)
    }

    private func count(
        _ condition: String, _ parameters: any SQLConvertible..., limit: Int, in transaction: some Transaction
    ) throws -> Int {
        try transaction.count(
            "SELECT 1 AS one FROM class WHERE term_id = $1 AND \(condition)", [id] + parameters, upTo: limit)
    }

    /// Classes of the term by their place, with how many members they have.
    package struct Place: Equatable, Sendable {
        package let location: LocationID?
        package let classes: [ClassID]
    }

    /// The classes that apps see.
    package func livingPlaces(in transaction: some Transaction) throws -> [Place] {
        try places("archived_at IS NULL", in: transaction)
    }

    /// The classes that were archived when the term was closed, and still are.
    package func closedPlaces(in transaction: some Transaction) throws -> [Place] {
        guard let closedAt else { return [] }
        return try places("archived_at = $2", closedAt, in: transaction)
    }

    private func places(
        _ condition: String, _ parameters: any SQLConvertible..., in transaction: some Transaction
    ) throws -> [Place] {
        var places: [Place] = []
        var classes: [ClassID] = []
        let rows = try transaction.all(
            """
            SELECT id, location_id FROM class WHERE term_id = $1 AND \(condition)
            ORDER BY COALESCE(location_id, 0), id
            """,
            [id] + parameters
        ) { (id: try $0["id"] as ClassID, location: try $0["location_id"] as LocationID?) }
        for (index, row) in rows.enumerated() {
            classes.append(row.id)
            guard index + 1 == rows.count || rows[index + 1].location != row.location else { continue }
            places.append(Place(location: row.location, classes: classes))
            classes = []
        }
        return places
    }

    package func close(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE term SET closed_at = $2 WHERE id = $1", [id, now])
        try transaction.execute(
            "UPDATE class SET archived_at = $2, modified_at = $2 WHERE term_id = $1 AND archived_at IS NULL", [id, now])
    }

    /// Opens the term again, and gives apps the classes back that were archived when it was closed.
    package func reopen(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE class SET archived_at = NULL, modified_at = $3 WHERE term_id = $1 AND archived_at = $2",
            [id, closedAt, now])
        try transaction.execute("UPDATE term SET closed_at = NULL WHERE id = $1", [id])
    }
}
