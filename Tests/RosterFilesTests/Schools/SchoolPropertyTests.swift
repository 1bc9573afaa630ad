import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// What holds for files of single schools, whatever is in them.
@Suite struct SchoolPropertyTests {
    @Test(
        "the parts of a district, one after the other, make what the whole makes, also of a changed district",
        arguments: TestDatabase.available, [1, 2, 5] as [UInt64])
    func parts(_ kind: TestDatabase, seed: UInt64) async throws {
        try await kind.with { one in
            try await kind.with { other in
                var random = RandomDistrict(seed: seed)
                let (whole, parts) = (try await District(in: one), try await district(in: other))
                try await whole.apply(random.files)
                for school in RandomDistrict.schools {
                    #expect(try await parts.force(random.files.part(of: school), of: [school]).outcome == .applied)
                }
                #expect(try await Self.content(of: parts) == Self.content(of: whole))
                for school in RandomDistrict.schools {
                    let again = try await parts.apply(random.files.part(of: school), of: [school])
                    #expect(again.outcome == .nothingToDo)
                }
                #expect(try await parts.apply(random.files).outcome == .nothingToDo)

                for year in 1...2 {
                    random.change()
                    try await whole.force(random.files)
                    for school in RandomDistrict.schools {
                        try await parts.force(random.files.part(of: school), of: [school])
                    }
                    let (some, all) = (try await Self.content(of: parts), try await Self.content(of: whole))
                    #expect(some == all, "year \(year): \(Set(some).symmetricDifference(all).sorted())")
                }
            }
        }
    }

    @Test(
        "a changed part of one school changes nothing of another, and is taken back exactly",
        arguments: TestDatabase.available, [11, 14, 16] as [UInt64])
    func others(_ kind: TestDatabase, seed: UInt64) async throws {
        try await kind.with { database in
            var random = RandomDistrict(seed: seed)
            let district = try await district(in: database)
            try await district.force(random.files)
            for school in RandomDistrict.schools + ["south"] {
                random.change()
                let files = random.files.part(of: school)
                let (before, others) = (try await district.dump(), try await district.people(notAt: school, or: files))
                let elsewhere = try await district.rows(notAt: school, and: others)
                try await district.force(files, of: [school])
                let now = try await district.rows(notAt: school, and: others)
                #expect(now == elsewhere, "\(school): \(Set(now).symmetricDifference(elsewhere).sorted())")
                let after = try await district.dump()

                try await district.undo()
                let undone = try await district.dump()
                #expect(Set(before).subtracting(undone) == [], "\(school)")
                // What was added stays, out of use.
                #expect(Set(undone).subtracting(before).allSatisfy(Self.isOutOfUse), "\(school)")

                try await district.force(files, of: [school])
                #expect(Self.withoutTimes(try await district.dump()) == Self.withoutTimes(after), "\(school)")
            }
        }
    }

    private static func isOutOfUse(_ row: String) -> Bool {
        let cells = row.split(separator: "|")
        if row.hasPrefix("person ") { return cells.contains("deactivated") }
        return ["location ", "course ", "class "].contains { row.hasPrefix($0) } && cells.last != "-"
    }

    /// Records keep the time at which they first went missing or were made.
    private static func withoutTimes(_ dump: [String]) -> [String] {
        dump.map { $0.replacing(/\|178\d{7}/, with: "|time") }
    }

    /// A district whose schools were made by hand, and have nobody yet.
    private func district(in database: any Database) async throws -> District {
        let district = try await District(in: database)
        let (id, now) = (district.organization.id, district.now)
        try await database.write { transaction in
            for school in RandomDistrict.schools {
                _ = try Location.insert(in: id, sourceID: school, name: "School \(school)", at: now, in: transaction)
            }
        }
        return district
    }

    /// What an export writes, and the roles. Lines are in no order, and neither are the places of a person.
    private static func content(of district: District) async throws -> [String] {
        let files = try await district.export()
        let roles = try await district.select(
            """
            SELECT p.source_id || ' ' || r.role || ' ' || r.roster_role || ' ' || l.source_id || ' ' || r.source
            FROM role_assignment AS r
            JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
            JOIN location AS l ON l.id = r.location_id
            """)
        let lines = RosterFile.allCases.flatMap { file in
            files.cells(of: file).map { "\(file) " + $0.filter { !$0.isEmpty }.sorted().joined(separator: ",") }
        }
        return (lines + roles).sorted()
    }
}

extension District {
    /// The ids of the people who are not at a school and not in its files.
    fileprivate func people(notAt school: String, or files: RosterTexts) async throws -> [String] {
        let named = [RosterFile.students, .staff].flatMap { files.cells(of: $0).map { "'\($0[0])'" } }
        return try await select(
            """
            SELECT CAST(id AS TEXT) FROM person
            WHERE source_id NOT IN (\(named.joined(separator: ", "))) AND id NOT IN (
                SELECT person_id FROM role_assignment
                WHERE location_id IN (SELECT id FROM location WHERE source_id = '\(school)')
            )
            """)
    }

    /// All that is not at a school, with the time of its last change: other schools and what is there, and some people.
    fileprivate func rows(notAt school: String, and people: [String]) async throws -> [String] {
        let isElsewhere = "IN (SELECT id FROM location WHERE source_id <> '\(school)')"
        let queries = [
            ("location", ["id", "name", "source", "modified_at", "archived_at"], "source_id <> '\(school)'"),
            (
                "role_assignment", ["person_id", "location_id", "role", "source", "position", "import_id"],
                """
                location_id \(isElsewhere)
                AND person_id IN (SELECT id FROM person WHERE state <> 'deactivated' OR missing_since IS NULL)
                """
            ),
            ("course", ["id", "name", "modified_at", "archived_at"], "location_id \(isElsewhere)"),
            ("class", ["id", "name", "modified_at", "archived_at", "missing_since"], "location_id \(isElsewhere)"),
            (
                "class_instructor", ["class_id", "person_id", "position"],
                "class_id IN (SELECT id FROM class WHERE location_id \(isElsewhere))"
            ),
            (
                "class_student", ["class_id", "person_id", "roster_id"],
                "class_id IN (SELECT id FROM class WHERE location_id \(isElsewhere))"
            ),
            (
                "person", ["id", "given_name", "family_name", "grade", "state", "missing_since", "modified_at"],
                "id IN (\((["0"] + people).joined(separator: ", ")))"
            ),
        ]
        return try await database.read { transaction in
            try queries.flatMap { table, columns, condition in
                let row = columns.map { "COALESCE(CAST(\($0) AS TEXT), '-')" }.joined(separator: " || '|' || ")
                return try transaction.all("SELECT '\(table) ' || \(row) FROM \(table) WHERE \(condition)") {
                    try $0[0] as String
                }.sorted()
            }
        }
    }
}
