import Directory
import Storage

/// Finds what later imports have built on one, of those that stand.
///
/// Undoing sets records back to what they were. That is exact as long as no later import has touched one of them: it
/// would have kept the record as this import had made it. It must not take a record out of use either in which a later
/// import has put something, nor put something back into a record that a later one has taken out of use.
struct LaterTouches {
    let organization: OrganizationID
    let importID: Int

    /// - Returns: some of the records of the newest import that has touched any; none if the import can be taken back
    func find(in transaction: some Transaction) throws -> [TouchedRecord] {
        let hasLater = try transaction.exists(Self.later, [organization, importID])
        guard hasLater else { return [] }
        var found: Set<TouchedRecord> = []
        for (kind, query) in Self.queries {
            let records = try transaction.all(
                """
                SELECT found.import_id, found.id, found.class_id FROM (\(query)) AS found
                ORDER BY found.import_id DESC, found.id, found.class_id LIMIT \(Self.countMax)
                """, [organization, importID]
            ) { row in
                TouchedRecord(
                    kind, try row["id"], in: try row["class_id"] as String?, importID: try row["import_id"])
            }
            found.formUnion(records)
        }
        // What stands of an older one may have become so by the newest.
        let newest = found.map(\.importID).max()
        let records = found.filter { $0.importID == newest }.sorted { $0.description < $1.description }
        return Array(records.prefix(Self.countMax))
    }

    /// How many records are named.
    static let countMax = 10

    // MARK: SQL. `$1` is the organization, `$2` the import.

    private static let later =
        "SELECT id FROM roster_import WHERE organization_id = $1 AND id > $2 AND undone_at IS NULL"

    private static var queries: [(TouchedRecord.Kind, String)] {
        [
            (.location, touchedTwice("location")), (.course, touchedTwice("course")), (.class, classTouchedTwice),
            (.person, personTouchedTwice), (.membership, membershipTouchedTwice("student")),
            (.membership, membershipTouchedTwice("instructor")), (.location, usedLocation), (.course, usedCourse),
            (.class, usedByMembers("class")), (.person, usedByMembers("person")), (.location, retiredLocation),
            (.course, retiredCourse), (.class, retiredOfMembers("class")), (.person, retiredOfMembers("person")),
        ]
    }

    /// The columns of a record that a later import has touched.
    private static func found(_ table: String, by importID: String = "u.import_id") -> String {
        "SELECT \(importID) AS import_id, \(name(table)) AS id, CAST(NULL AS TEXT) AS class_id"
    }

    private static func name(_ table: String) -> String {
        switch table {
        case "person": "COALESCE(person.source_id, person.user_name)"
        case "location": "COALESCE(location.source_id, 'LO:' || CAST(location.id AS TEXT))"
        case "class": "COALESCE(class.source_id, 'CL-' || CAST(class.id AS TEXT))"
        default: "COALESCE(\(table).source_id, CAST(\(table).id AS TEXT))"
        }
    }

    /// Whether this import has kept a row as it was.
    private static func isKept(_ table: String, _ condition: String = "1 = 1") -> String {
        """
        EXISTS (
            SELECT 1 FROM undo_\(table) AS mine
            WHERE mine.import_id = $2 AND mine.\(table)_id = \(table).id AND \(condition)
        )
        """
    }

    /// The rows that later imports have added or kept as they were.
    private static func laterRows(_ table: String) -> String {
        """
        SELECT import_id, id FROM \(table) WHERE organization_id = $1 AND import_id IN (\(later))
        UNION SELECT import_id, \(table)_id FROM undo_\(table) WHERE import_id IN (\(later))
        """
    }

    /// The classes that later imports have put into another course or location, or brought there.
    private static func classesPut(into column: String) -> String {
        """
        SELECT import_id, \(column) FROM class WHERE organization_id = $1 AND import_id IN (\(later))
        UNION SELECT kept.import_id, class.\(column) FROM undo_class AS kept
            JOIN class ON class.id = kept.class_id
            WHERE kept.import_id IN (\(later))
              AND (kept.effect = 'reactivated' OR kept.\(column) IS DISTINCT FROM class.\(column))
        """
    }

    // MARK: The same record

    private static func touchedTwice(_ table: String) -> String {
        """
        \(found(table)) FROM undo_\(table) AS u
        JOIN \(table) ON \(table).id = u.\(table)_id
        WHERE u.import_id IN (\(later)) AND (\(table).import_id = $2 OR \(isKept(table)))
        """
    }

    /// An import keeps a class also if it has changed nothing but the members, who are records of their own.
    private static var classTouchedTwice: String {
        let fields = [
            "source", "course_id", "location_id", "number", "name", "display_name", "archived_at", "missing_since",
            "term_id",
        ]
        func differs(_ one: String, _ other: String) -> String {
            fields.map { "\(one).\($0) IS DISTINCT FROM \(other).\($0)" }.joined(separator: " OR ")
        }
        let isChanged = isKept("class", "(\(differs("mine", "u")) OR \(differs("u", "class")))")
        return """
            \(found("class")) FROM undo_class AS u
            JOIN class ON class.id = u.class_id
            WHERE u.import_id IN (\(later)) AND (class.import_id = $2 OR \(isChanged))
            """
    }

    /// A person and the roles are one record: who is at two schools has something of each.
    private static var personTouchedTwice: String {
        """
        \(found("person")) FROM (
            \(laterRows("person"))
            UNION SELECT import_id, person_id FROM role_assignment
                WHERE organization_id = $1 AND import_id IN (\(later))
            UNION SELECT import_id, person_id FROM undo_role WHERE import_id IN (\(later))
        ) AS u
        JOIN person ON person.id = u.id
        WHERE person.import_id = $2 OR \(isKept("person"))
            OR EXISTS (SELECT 1 FROM role_assignment AS r WHERE r.person_id = person.id AND r.import_id = $2)
            OR EXISTS (SELECT 1 FROM undo_role AS r WHERE r.import_id = $2 AND r.person_id = person.id)
            OR EXISTS (
                SELECT 1 FROM undo_role AS r
                WHERE r.import_id IN (\(later)) AND r.person_id = person.id AND r.added_by = $2
            )
        """
    }

    private static func membershipTouchedTwice(_ role: String) -> String {
        """
        SELECT u.import_id, \(name("person")) AS id, \(name("class")) AS class_id FROM (
            SELECT import_id, class_id, person_id FROM undo_\(role) AS theirs
            WHERE import_id IN (\(later)) AND (
                added_by = $2 OR EXISTS (
                    SELECT 1 FROM undo_\(role) AS mine
                    WHERE mine.import_id = $2 AND mine.class_id = theirs.class_id
                      AND mine.person_id = theirs.person_id
                )
            )
            UNION
            -- Taken away by this import, and given again by a later one.
            SELECT m.import_id, m.class_id, m.person_id FROM undo_\(role) AS mine
            JOIN class_\(role) AS m ON m.class_id = mine.class_id AND m.person_id = mine.person_id
            WHERE mine.import_id = $2 AND m.import_id IN (\(later))
        ) AS u
        JOIN class ON class.id = u.class_id
        JOIN person ON person.id = u.person_id
        """
    }

    // MARK: What would go out of use with something in it

    /// Whether undoing takes a location, course or class out of use.
    private static func isBroughtUp(_ table: String) -> String {
        "(\(table).import_id = $2 OR \(isKept(table, "mine.archived_at IS NOT NULL")))"
    }

    private static var usedLocation: String {
        """
        \(found("location")) FROM (
            SELECT import_id, location_id FROM role_assignment
            WHERE organization_id = $1 AND import_id IN (\(later))
            UNION SELECT t.import_id, course.location_id FROM (\(laterRows("course"))) AS t
                JOIN course ON course.id = t.id
            UNION \(classesPut(into: "location_id"))
        ) AS u
        JOIN location ON location.id = u.location_id
        WHERE \(isBroughtUp("location"))
        """
    }

    private static var usedCourse: String {
        """
        \(found("course")) FROM (\(classesPut(into: "course_id"))) AS u
        JOIN course ON course.id = u.course_id
        WHERE \(isBroughtUp("course"))
        """
    }

    private static func usedByMembers(_ table: String) -> String {
        let isBroughtUp =
            table == "person"
            ? "(person.import_id = $2 OR \(isKept("person", "mine.effect = 'reactivated'")))" : isBroughtUp(table)
        return """
            \(found(table)) FROM (
                SELECT import_id, class_id, person_id FROM class_student WHERE import_id IN (\(later))
                UNION SELECT import_id, class_id, person_id FROM class_instructor WHERE import_id IN (\(later))
            ) AS u
            JOIN \(table) ON \(table).id = u.\(table)_id
            WHERE \(isBroughtUp)
            """
    }

    // MARK: What would be put back into something that is out of use

    /// The courses or locations into which undoing puts classes, or in which it brings some back.
    private static func classesTaken(from column: String) -> String {
        """
        SELECT mine.\(column) FROM undo_class AS mine
            JOIN class ON class.id = mine.class_id
            WHERE mine.import_id = $2 AND mine.\(column) IS NOT NULL
              AND (mine.effect = 'missing' OR mine.\(column) IS DISTINCT FROM class.\(column))
        """
    }

    private static var retiredLocation: String {
        """
        \(found("location")) FROM undo_location AS u
        JOIN location ON location.id = u.location_id
        WHERE u.import_id IN (\(later)) AND u.archived_at IS NULL AND location.archived_at IS NOT NULL
          AND location.id IN (
              SELECT location_id FROM undo_course WHERE import_id = $2
              UNION \(classesTaken(from: "location_id"))
              UNION SELECT location_id FROM undo_role WHERE import_id = $2
              UNION SELECT r.location_id FROM undo_person AS mine
                  JOIN role_assignment AS r ON r.person_id = mine.person_id
                  WHERE mine.import_id = $2 AND mine.effect = 'missing'
          )
        """
    }

    private static var retiredCourse: String {
        """
        \(found("course")) FROM undo_course AS u
        JOIN course ON course.id = u.course_id
        WHERE u.import_id IN (\(later)) AND u.archived_at IS NULL AND course.archived_at IS NOT NULL
          AND course.id IN (\(classesTaken(from: "course_id")))
        """
    }

    private static func retiredOfMembers(_ table: String) -> String {
        """
        \(found(table)) FROM undo_\(table) AS u
        JOIN \(table) ON \(table).id = u.\(table)_id
        WHERE u.import_id IN (\(later)) AND u.effect = 'missing' AND \(table).missing_since IS NOT NULL
          AND \(table).id IN (
              SELECT \(table)_id FROM undo_student WHERE import_id = $2
              UNION SELECT \(table)_id FROM undo_instructor WHERE import_id = $2
          )
        """
    }
}
