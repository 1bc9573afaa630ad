import Foundation
import Storage

/// A class as roster pages need it, with everyone in it.
package struct RosterClass: Equatable, Sendable {
    package let id: ClassID
    package let name: String
    /// The nickname, if the class has one.
    package let displayName: String?
    package let number: String?
    package let room: String?
    package let location: LocationID?
    /// Instructors in the order of the files, or in which they were entered.
    package internal(set) var instructors: [PersonID]
    package internal(set) var students: [PersonID]
    package let createdAt: Date
    package let modifiedAt: Date

    fileprivate static let columns =
        "id, name, display_name, number, room, location_id, created_at, modified_at"

    fileprivate init(_ row: Row) throws {
        id = try row["id"]
        name = try row["name"]
        displayName = try row["display_name"]
        number = try row["number"]
        room = try row["room"]
        location = try row["location_id"]
        createdAt = try row["created_at"]
        modifiedAt = try row["modified_at"]
        instructors = []
        students = []
    }
}

extension RosterClass {
    /// The next `limit` classes after `last`, by id. Deactivated members are left out.
    package static func page(
        of organization: OrganizationID, after last: ClassID, limit: Int, in transaction: some Transaction
    ) throws -> [RosterClass] {
        let page = """
            SELECT * FROM class
            WHERE organization_id = $1 AND id > $2 AND archived_at IS NULL
            ORDER BY id
            LIMIT $3
            """
        return try collect(page, [organization, last, limit], in: transaction)
    }

    package static func find(
        _ id: ClassID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> RosterClass? {
        try collect(
            "SELECT * FROM class WHERE id = $2 AND organization_id = $1 AND archived_at IS NULL",
            [organization, id], in: transaction
        ).first
    }

    package static func exists(
        _ id: ClassID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM class WHERE id = $1 AND organization_id = $2 AND archived_at IS NULL", [id, organization])
    }

    /// The classes with this class id or exactly this name, ordered by id.
    package static func list(
        called text: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [ClassID] {
        try transaction.all(
            """
            SELECT id FROM class
            WHERE organization_id = $1 AND archived_at IS NULL AND (source_id = $2 OR name = $2 OR display_name = $2)
            ORDER BY id
            """,
            [organization, text]
        ) { try $0[0] }
    }

    /// Marks the classes of these people as changed, because apps see the members differently from now on.
    /// - Parameters:
    ///   - people: SQL that gives ids of people, such as `$2` or a `SELECT`; its parameters begin with `$2`.
    package static func touch(
        withMembers people: String, _ parameters: [any SQLConvertible] = [], at now: Date,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            UPDATE class SET modified_at = $1
            WHERE id IN (
                SELECT class_id FROM class_student WHERE person_id IN (\(people))
                UNION SELECT class_id FROM class_instructor WHERE person_id IN (\(people))
            )
            """,
            [now] + parameters)
    }

    /// How many classes apps can see.
    package static func count(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM class WHERE organization_id = $1 AND archived_at IS NULL", [organization]
        ) { try $0[0] } ?? 0
    }

    /// Reads the classes that `selection` selects. Instructors and students take one further query each for all classes
    /// together.
    private static func collect(
        _ selection: String, _ parameters: [any SQLConvertible], in transaction: some Transaction
    ) throws -> [RosterClass] {
        var classes = try transaction.all(
            "SELECT \(columns) FROM (\(selection)) AS c ORDER BY id", parameters, RosterClass.init)
        func members(_ table: String, order: String, _ append: (Int, PersonID) -> Void) throws {
            var index = 0
            // The unary plus keeps SQLite from starting with the index of all people of the organization.
            try transaction.forEach(
                """
                SELECT m.class_id, m.person_id
                FROM (\(selection)) AS c
                JOIN \(table) AS m ON m.class_id = c.id
                JOIN person ON person.id = m.person_id
                    AND +person.organization_id = c.organization_id AND person.state <> 'deactivated'
                ORDER BY m.class_id, \(order)
                """,
                parameters
            ) { row in
                let id: ClassID = try row["class_id"]
                while index < classes.count, classes[index].id < id { index += 1 }
                // Both statements read one snapshot, so no class can appear between them.
                append(index, try row["person_id"])
            }
        }
        try members("class_instructor", order: "m.position, m.person_id") { classes[$0].instructors.append($1) }
        try members("class_student", order: "m.person_id") { classes[$0].students.append($1) }
        return classes
    }
}

extension RosterClass {
    /// Creates a class by hand. `instructors` are in their order.
    package static func insert(
        in organization: OrganizationID,
        sourceID: String? = nil,
        name: String,
        displayName: String? = nil,
        number: String? = nil,
        room: String? = nil,
        location: LocationID? = nil,
        instructors: [PersonID] = [],
        students: [PersonID] = [],
        at now: Date,
        in transaction: WriteTransaction
    ) throws -> ClassID {
        let id: ClassID = try transaction.first(
            """
            INSERT INTO class (organization_id, source, source_id, location_id, number, name, display_name, room,
                               created_at, modified_at)
            VALUES ($1, 'manual', $2, $3, $4, $5, $6, $7, $8, $8)
            RETURNING id
            """,
            [
                organization,
                try FieldRule.sourceID.checkIfPresent(sourceID, field: "class id"),
                location,
                try FieldRule.short.checkIfPresent(number, field: "class number"),
                try FieldRule.name.check(name, field: "class name"),
                try FieldRule.optionalName.checkIfPresent(displayName, field: "class display name"),
                try FieldRule.room.checkIfPresent(room, field: "room"),
                now,
            ]
        ) { try $0[0] }!  // an insert without conflict clause returns its row
        for (index, instructor) in instructors.enumerated() {
            try transaction.execute(
                "INSERT INTO class_instructor (class_id, person_id, position) VALUES ($1, $2, $3)",
                [id, instructor, index + 1])
        }
        for student in students {
            try transaction.execute(
                "INSERT INTO class_student (class_id, person_id) VALUES ($1, $2)", [id, student])
        }
        return id
    }
}
