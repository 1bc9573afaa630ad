import Foundation
import Storage

/// A class as administrators see it, archived ones included. Apps see a ``RosterClass``.
package struct ManagedClass: Equatable, Sendable {
    package let id: ClassID
    package let organizationID: OrganizationID
    package let source: RecordSource
    /// `class_id` of the files.
    package let sourceID: String?
    package let name: String
    package let displayName: String?
    package let number: String?
    package let room: String?
    package let location: LocationID?
    package let term: TermID?
    package let createdAt: Date
    package let modifiedAt: Date
    /// Since when apps do not see it.
    package let archivedAt: Date?
    /// Since when imports do not name it any more.
    package let missingSince: Date?

    static let columns: String = [
        "id", "organization_id", "source", "source_id", "name", "display_name", "number", "room", "location_id",
        "term_id", "created_at", "modified_at", "archived_at", "missing_since",
    ].map { "class.\($0)" }.joined(separator: ", ")

    init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        source = try row["source"]
        sourceID = try row["source_id"]
        name = try row["name"]
        displayName = try row["display_name"]
        number = try row["number"]
        room = try row["room"]
        location = try row["location_id"]
        term = try row["term_id"]
        createdAt = try row["created_at"]
        modifiedAt = try row["modified_at"]
        archivedAt = try row["archived_at"]
        missingSince = try row["missing_since"]
    }

    /// Whether the files of the last import had it, so that the next one will write it again.
    package var isDelivered: Bool { source == .csv && missingSince == nil }

    package var isArchived: Bool { archivedAt != nil }
}

extension ManagedClass {
    package static func find(
        _ id: ClassID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> ManagedClass? {
        try transaction.first(
            "SELECT \(columns) FROM class WHERE id = $1 AND organization_id = $2", [id, organization],
            ManagedClass.init)
    }

    /// The classes with this class id or exactly this name, ordered by id.
    package static func list(
        called text: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [ManagedClass] {
        try transaction.all(
            """
            SELECT \(columns) FROM class
            WHERE organization_id = $1 AND (source_id = $2 OR name = $2 OR display_name = $2)
            ORDER BY id
            """,
            [organization, text], ManagedClass.init)
    }

    /// Which classes a listing shows.
    package struct Filter: Sendable {
        package var isArchived = false
        package var location: LocationID?
        package var term: TermID?
        /// A person who teaches or learns in the classes.
        package var member: PersonID?
        /// Words that find classes, see ``Search``.
        package var text: String?
        /// The part of the organization that the caller may see; nil for all of it.
        package var reach: PersonFilter.Reach?

        package init() {}
    }

    /// The next `limit` classes after `last` that the filter lets through, by id.
    /// - Parameter readAllMax: how many classes an organization may have for a search to read all of them.
    package static func page(
        of organization: OrganizationID, matching filter: Filter, after last: ClassID, limit: Int,
        readingAllUpTo readAllMax: Int? = nil, in transaction: some Transaction
    ) throws -> [ManagedClass] {
        func batch(
            _ candidates: Candidates<ManagedClass>, _ last: ClassID, _ limit: Int
        ) throws -> [ManagedClass] {
            try self.batch(
                of: organization, matching: filter, among: candidates, after: last, limit: limit, in: transaction)
        }
        guard let search = try filter.text.map(Search<ManagedClass>.init), !search.isEmpty else {
            return try batch(.all, last, limit)
        }
        return try search.page(
            of: organization, after: last, limit: limit, readingAllUpTo: readAllMax ?? Search<ManagedClass>.readAllMax,
            in: transaction, batch: batch)
    }

    private static func batch(
        of organization: OrganizationID, matching filter: Filter, among candidates: Candidates<ManagedClass>,
        after last: ClassID, limit: Int, in transaction: some Transaction
    ) throws -> [ManagedClass] {
        var parameters: [any SQLConvertible] = [organization, last, limit]
        func placeholder(_ value: any SQLConvertible) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["class.archived_at IS \(filter.isArchived ? "NOT NULL" : "NULL")"]
        conditions += candidates.conditions(placeholder)
        if let term = filter.term { conditions.append("class.term_id = \(placeholder(term))") }
        if let location = filter.location { conditions.append("class.location_id = \(placeholder(location))") }
        if let member = filter.member {
            let id = placeholder(member)
            conditions.append(
                """
                class.id IN (SELECT class_id FROM class_student WHERE person_id = \(id)
                       UNION SELECT class_id FROM class_instructor WHERE person_id = \(id))
                """)
        }
        if let reach = filter.reach {
            let places = reach.locations.sorted().map { placeholder($0) }.joined(separator: ", ")
            let teacher = placeholder(reach.teacher ?? .none)
            conditions.append(
                """
                (class.location_id IN (\(places.isEmpty ? "-1" : places))
                 OR class.id IN (SELECT class_id FROM class_instructor WHERE person_id = \(teacher)))
                """)
        }
        return try transaction.all(
            """
            SELECT \(columns) FROM \(candidates.tables)
            WHERE class.organization_id = $1 AND \(candidates.key) > $2 AND \(conditions.joined(separator: " AND "))
            ORDER BY \(candidates.key)
            LIMIT $3
            """,
            parameters, planned: candidates.planning, ManagedClass.init)
    }
}

// MARK: Members

extension ManagedClass {
    /// Instructors in their order, or students by id; deactivated people included.
    package func members(_ role: MemberRole, in transaction: some Transaction) throws -> [Person] {
        try transaction.all(
            """
            SELECT m.person_id FROM \(role.table) AS m
            JOIN person AS p ON p.id = m.person_id AND +p.organization_id = $2
            WHERE m.class_id = $1
            ORDER BY \(role.order)
            """,
            [id, organizationID]
        ) { try $0["person_id"] as PersonID }
        .compactMap { try Person.find($0, in: transaction) }
    }

    package func memberCount(_ role: MemberRole, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM \(role.table) WHERE class_id = $1", [id]) { try $0[0] } ?? 0
    }

    package func isTaught(by person: PersonID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM class_instructor WHERE class_id = $1 AND person_id = $2", [id, person])
    }

    /// Whether the files of an import have put the student into the class.
    package func importsStudent(_ person: PersonID, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM class_student WHERE class_id = $1 AND person_id = $2 AND roster_id IS NOT NULL",
            [id, person])
    }

    package enum MemberRole: Sendable {
        case instructor
        case student

        fileprivate var table: String { self == .instructor ? "class_instructor" : "class_student" }
        fileprivate var order: String { self == .instructor ? "m.position, m.person_id" : "m.person_id" }
    }
}

// MARK: Changes

extension ManagedClass {
    /// What can be edited by hand.
    package struct Fields: Equatable, Sendable {
        package var name: String
        package var displayName: String?
        package var number: String?
        package var room: String?
        package var location: LocationID?
        package var term: TermID?
    }

    package var fields: Fields {
        Fields(name: name, displayName: displayName, number: number, room: room, location: location, term: term)
    }

    package func update(_ fields: Fields, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE class
            SET name = $2, display_name = $3, number = $4, room = $5, location_id = $6, modified_at = $7, term_id = $8
            WHERE id = $1
            """,
            [
                id,
                try FieldRule.name.check(fields.name, unlessStill: name, field: "class name"),
                try FieldRule.optionalName.checkIfPresent(fields.displayName, field: "class display name"),
                try FieldRule.short.checkIfPresent(fields.number, field: "class number"),
                try FieldRule.room.checkIfPresent(fields.room, field: "room"),
                fields.location, now, fields.term,
            ])
    }

    /// Replaces the instructors, in their order.
    package func setInstructors(_ people: [PersonID], in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM class_instructor WHERE class_id = $1", [id])
        for (index, person) in people.enumerated() {
            try transaction.execute(
                "INSERT INTO class_instructor (class_id, person_id, position) VALUES ($1, $2, $3)",
                [id, person, index + 1])
        }
    }

    package func addStudent(_ person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "INSERT INTO class_student (class_id, person_id) VALUES ($1, $2)", [id, person])
    }

    package func removeStudent(_ person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM class_student WHERE class_id = $1 AND person_id = $2", [id, person])
    }

    /// Archives the class: apps do not see it any more. Its members stay as they are.
    package func archive(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE class SET archived_at = $2, modified_at = $2 WHERE id = $1", [id, now])
    }

    package func restore(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE class SET archived_at = NULL, modified_at = $2 WHERE id = $1", [id, now])
    }

    /// Deletes the class with its memberships.
    package func remove(in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM class WHERE id = $1", [id])
    }
}
