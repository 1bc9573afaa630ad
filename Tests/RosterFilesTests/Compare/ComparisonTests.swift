import Foundation
import SeededNumbers
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct ComparisonTests {
    private static func compare(
        _ before: RosterTexts, _ after: RosterTexts, rowsMax: Int = 1_000
    ) async throws -> RosterDifference {
        let packages = (
            try await before.onDisk { try RosterPackage(at: $0) }, try await after.onDisk { try RosterPackage(at: $0) }
        )
        return try RosterComparison(before: packages.0, after: packages.1, rowsMax: rowsMax).run()
    }

    @Test("equal files have no difference, whatever the order of their rows and the ids of their memberships")
    func equal() async throws {
        var other = RosterTexts.example
        for file in RosterFile.allCases {
            let lines = other[file]!.split(separator: "\n")
            other[file] = ([lines[0]] + lines.dropFirst().reversed()).joined(separator: "\n") + "\n"
        }
        let difference = try await Self.compare(.example, other)
        #expect(difference.rows.isEmpty)
        #expect(difference.counts.values.allSatisfy { $0.added + $0.removed + $0.changed == 0 })
        #expect(difference.counts["students"]?.unchanged == 4)
    }

    @Test("what was added, removed and changed is found, with the values of both sides")
    func different() async throws {
        let header = RosterTexts.example[.students]!.split(separator: "\n")[0]
        func students(_ lines: String...) -> RosterTexts {
            var files = RosterTexts.example
            files[.students] = ([String(header)] + lines).joined(separator: "\n") + "\n"
            return files
        }
        let columns = header.split(separator: ",").map(String.init)
        func row(_ values: [String: String]) -> String { columns.map { values[$0] ?? "" }.joined(separator: ",") }
        let ana = [
            "person_id": "S-1", "location_id": "LOC-10", "first_name": "Ana", "last_name": "Núñez", "grade_level": "4",
        ]
        let bo = ["person_id": "S-2", "location_id": "LOC-10", "first_name": "Bo", "last_name": "Berg"]
        let cem = ["person_id": "S-3", "location_id": "LOC-10", "first_name": "Cem", "last_name": "Çelik"]
        let older = ana.merging(["grade_level": "5", "last_name": "Ruiz"]) { $1 }
        let difference = try await Self.compare(students(row(ana), row(bo)), students(row(cem), row(older)))
        #expect(difference.counts["students"] == .init(added: 1, removed: 1, changed: 1, unchanged: 0))
        let rows = difference.rows.filter { $0.file == .students }
        #expect(rows.map(\.kind) == [.added, .changed, .removed])
        #expect(rows.map(\.id) == ["S-3", "S-1", "S-2"] && rows.map(\.line) == [2, 3, 3])
        #expect(
            Set(rows[1].columns.map { "\($0.name) \($0.before ?? "-") \($0.after ?? "-")" })
                == ["grade_level 4 5", "last_name Núñez Ruiz"])
    }

    /// Against a comparison in plain Swift.
    @Test("the counts are right for any files", arguments: 0..<20)
    func random(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func courses() -> [String: String] {
            (0..<30).reduce(into: [:]) { rows, _ in
                let number = Int.random(in: 0..<40, using: &generator)
                rows["C-\(number)"] = "Name \(Int.random(in: 0..<3, using: &generator))"
            }
        }
        func files(_ rows: [String: String]) -> RosterTexts {
            var files = RosterTexts.example
            files[.courses] =
                (["course_id,course_number,course_name,location_id"] + rows.map { "\($0),,\($1),LOC-10" })
                .joined(separator: "\n") + "\n"
            return files
        }
        let (before, after) = (courses(), courses())
        let rowsMax = seed
        let difference = try await Self.compare(files(before), files(after), rowsMax: rowsMax)
        let common = Set(before.keys).intersection(after.keys)
        #expect(
            difference.counts["courses"]
                == .init(
                    added: after.count - common.count, removed: before.count - common.count,
                    changed: common.count { before[$0] != after[$0] },
                    unchanged: common.count { before[$0] == after[$0] }))
        let total = difference.counts.values.reduce(0) { $0 + $1.added + $1.removed + $1.changed }
        #expect(difference.rows.count == min(rowsMax, total))
    }

    @Test("a file that cannot be read is told, and is not taken for an empty one")
    func unreadable() async throws {
        var broken = RosterTexts.example
        broken[.students] = "person_id\nS-1\n"
        await #expect(throws: RosterImportError.self) { _ = try await Self.compare(.example, broken) }
    }
}
