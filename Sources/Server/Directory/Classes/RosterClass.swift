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
}

extension RosterClass {
    fileprivate static func columns(through sharing: SharingFilter) -> String {
        let (display, number, room) = (
            sharing.column("display_name", of: .classDisplayName), sharing.column("number", of: .classNumber),
            sharing.column("room", of: .classRoom)
        )
        return "id, name, \(display), \(number), \(room), location_id, created_at, modified_at"
    }

    fileprivate init(_ row: Row, through sharing: SharingFilter) throws {
        id = try row["id"]
        name = try row["name"]
        displayName = try row["display_name"]
        number = try row["number"]
        room = try row["room"]
        location = try row["location_id"]
        createdAt = try row["created_at"]
        modifiedAt = sharing.modifiedAt(try row["modified_at"])
        instructors = []
        students = []
    }
}

extension RosterClass {
    /// The next `limit` classes after `last`, by id. Deactivated members are left out.
    package static func page(
        of organization: OrganizationID, through sharing: SharingFilter, after last: ClassID, limit: Int,
        in transaction: some Transaction
    ) throws -> [RosterClass] {
        try collect(pageSelection(through: sharing), [organization, last, limit], through: sharing, in: transaction)
    }

    /// The classes of organization $1 after class $2 that an app may see, $3 at most.
    static func pageSelection(through sharing: SharingFilter) -> String {
        """
        SELECT * FROM class
        WHERE organization_id = $1 AND id > $2 AND archived_at IS NULL\(sharing.sharesClass("class"))
        ORDER BY id
        LIMIT $3
        """
    }

    package static func find(
        _ id: ClassID, in organization: OrganizationID, through sharing: SharingFilter = .everything,
        _ transaction: some Transaction
    ) throws -> RosterClass? {
        let condition = sharing.sharesClass("class")
        return try collect(
            "SELECT * FROM class WHERE id = $2 AND organization_id = $1 AND archived_at IS NULL\(condition)",
            [organization, id], through: sharing, in: transaction
        ).first
    }

    package static func exists(
        _ id: ClassID, in organization: OrganizationID, through sharing: SharingFilter = .everything,
        _ transaction: some Transaction
    ) throws -> Bool {
        let condition = sharing.sharesClass("class")
        return try transaction.exists(
            "SELECT 1 FROM class WHERE id = $1 AND organization_id = $2 AND archived_at IS NULL\(condition)",
            [id, organization])
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

    /// The classes in which a person teaches or learns.
    package static func ids(of person: PersonID, in transaction: some Transaction) throws -> [ClassID] {
        try transaction.all(
            """
            SELECT class_id FROM class_student WHERE person_id = $1
            UNION SELECT class_id FROM class_instructor WHERE person_id = $1
            """, [person]
        ) { try $0[0] }
    }

    /// Marks the classes of these people as changed, because apps see the members differently from now on. Archived
    /// ones stay as they are: apps do not see them.
    /// - Parameters:
    ///   - people: SQL that gives ids of people, such as `$2` or a `SELECT`; its parameters begin with `$2`.
    package static func touch(
        withMembers people: String, _ parameters: [any SQLConvertible] = [], at now: Date,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            UPDATE class SET modified_at = $1
            WHERE archived_at IS NULL AND id IN (
                SELECT class_id FROM class_student WHERE person_id IN (\(people))
                UNION SELECT class_id FROM class_instructor WHERE person_id IN (\(people))
            )
            """,
            [now] + parameters)
    }

    /// How many classes apps can see, as ``CountedRecords`` counts them, or those that the rules of an app let through,
    /// as ``SharingCount`` does.
    package static func count(
        of organization: OrganizationID, through sharing: SharingFilter = .everything,
        atOnce: Int = CountedRecords.atOnce, in transaction: some Transaction
    ) throws -> Int {
        try sharing.count(.classes, of: organization, atOnce: atOnce, in: transaction) {
            try countAll(of: organization, through: sharing, in: transaction)
        }
    }

    /// The same, counted now.
    package static func countAll(
        of organization: OrganizationID, through sharing: SharingFilter, in transaction: some Transaction
    ) throws -> Int {
        let condition = sharing.sharesClass("class")
        return try transaction.first(
            "SELECT COUNT(*) FROM class WHERE organization_id = $1 AND archived_at IS NULL\(condition)", [organization]
        ) { try $0[0] } ?? 0
    }

    /// Reads the classes that `selection` selects. Instructors and students take one further query each for all classes
    /// together.
    private static func collect(
        _ selection: String, _ parameters: [any SQLConvertible], through sharing: SharingFilter,
        in transaction: some Transaction
    ) throws -> [RosterClass] {
        var classes = try transaction.all(
            "SELECT \(columns(through: sharing)) FROM (\(selection)) AS c ORDER BY id", parameters
        ) { try RosterClass($0, through: sharing) }
        let now = "$\(parameters.count + 1)"
        func members(_ role: RosterRole, _ append: (Int, PersonID) -> Void) throws {
            var index = 0
            let query = membersQuery(of: selection, as: role, through: sharing, at: now)
            try transaction.forEach(query, parameters + [sharing.now]) { row in
                let id: ClassID = try row["class_id"]
                while index < classes.count, classes[index].id < id { index += 1 }
                // Both statements read one snapshot, so no class can appear between them.
                append(index, try row["person_id"])
            }
        }
        try members(.instructor) { classes[$0].instructors.append($1) }
        try members(.student) { classes[$0].students.append($1) }
        return classes
    }

    /// Those who teach or learn in the classes that `selection` selects and whom an app may see, class by class in the
    /// order of ``instructors`` and ``students``.
    /// - Parameter now: the placeholder of ``SharingFilter/now``.
    static func membersQuery(
        of selection: String, as role: RosterRole, through sharing: SharingFilter, at now: String
    ) -> String {
        let (table, order) =
            role == .student ? ("class_student", "m.person_id") : ("class_instructor", "m.position, m.person_id")
        // The unary plus keeps SQLite from starting with the index of all people of the organization.
        return """
            SELECT m.class_id, m.person_id
            FROM (\(selection)) AS c
            JOIN \(table) AS m ON m.class_id = c.id
            JOIN person ON person.id = m.person_id
                AND +person.organization_id = c.organization_id AND person.state <> 'deactivated'\(
                    sharing.sharesMember("person", by: "m.person_id", as: role, at: now))
            ORDER BY m.class_id, \(order)
            """
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

extension RosterClass {
    /// Whether one person teaches a class in which the other learns. Archived classes do not count.
    /// - Parameter location: restricts it to classes of a location; nil for all.
    package static func teaches(
        _ instructor: PersonID, _ student: PersonID, at location: LocationID?, in transaction: some Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM class_instructor AS i
            JOIN class_student AS s ON s.class_id = i.class_id
            JOIN class AS c ON c.id = i.class_id
            WHERE i.person_id = $1 AND s.person_id = $2 AND c.archived_at IS NULL
              AND ($3 = 0 OR c.location_id = $3)
            """,
            [instructor, student, location ?? .none])
    }
}
