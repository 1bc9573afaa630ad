import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct CrossFileDefectTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let files: RosterTexts
        let found: [String]

        var testDescription: String { name }
    }

    static let faulty = [
        Case(
            name: "a location twice", files: .example.adding("LOC-20,Elsewhere", to: .locations),
            found: ["locations.csv:4 location_id duplicate_identifier"]),
        Case(
            name: "a student three times",
            files: .example.adding("S-1001,LOC-10,A,B,,,,,,,", "S-1001,LOC-10,C,D,,,,,,,", to: .students),
            found: ["students.csv:6 person_id duplicate_identifier", "students.csv:7 person_id duplicate_identifier"]),
        Case(
            name: "a person among students and staff",
            files: .example.adding("S-1001,,Noor,,Haddad,,,LOC-10,", to: .staff),
            found: ["staff.csv:5 person_id duplicate_identifier"]),
        Case(
            name: "a course twice", files: .example.adding("C-BIO8,,,LOC-20", to: .courses),
            found: ["courses.csv:4 course_id duplicate_identifier"]),
        Case(
            name: "a class twice", files: .example.adding("K-BIO8-1,2,C-BIO8,,,,LOC-20", to: .classes),
            found: ["classes.csv:4 class_id duplicate_identifier"]),
        Case(
            name: "a roster_id twice", files: .example.adding("R-000001,K-READ1-A,S-2002", to: .rosters),
            found: ["rosters.csv:6 roster_id duplicate_identifier"]),
        Case(
            name: "an unknown location of a student, first and second",
            files: .example.adding("S-3001,LOC-99,A,B,,,,,,,", "S-3002,LOC-10,A,B,,,,,,,LOC-98", to: .students),
            found: ["students.csv:6 location_id unknown_reference", "students.csv:7 location_id unknown_reference"]),
        Case(
            name: "an unknown location of staff",
            files: .example.replacing("rsand,LOC-10,", with: "rsand,LOC-99,", in: .staff),
            found: ["staff.csv:4 location_id unknown_reference"]),
        Case(
            name: "an unknown location of a course", files: .example.adding("C-X,,,LOC-99", to: .courses),
            found: ["courses.csv:4 location_id unknown_reference"]),
        Case(
            name: "an unknown course and location of a class",
            files: .example.adding("K-X,1,C-X,,,,LOC-99", to: .classes),
            found: ["classes.csv:4 course_id unknown_reference", "classes.csv:4 location_id unknown_reference"]),
        Case(
            name: "an instructor who is a student, and one who is nobody",
            files: .example.adding("K-X,1,C-BIO8,S-2001,T-9999,,LOC-20", to: .classes),
            found: ["classes.csv:4 instructor_id unknown_reference", "classes.csv:4 instructor_id unknown_reference"]),
        Case(
            name: "an unknown class, an unknown student, and a teacher as student",
            files: .example.adding(
                "R-000005,K-X,S-2001", "R-000006,K-BIO8-1,S-9999", "R-000007,K-BIO8-1,T-0008", to: .rosters),
            found: [
                "rosters.csv:6 class_id unknown_reference", "rosters.csv:7 student_id unknown_reference",
                "rosters.csv:8 student_id unknown_reference",
            ]),
    ]

    @Test(
        "errors are found with file, line and column, and nothing is applied", arguments: TestDatabase.available, faulty
    )
    func errors(_ kind: TestDatabase, _ example: Case) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.apply(example.files)
            #expect(report.outcome == .defective)
            #expect(report.found == example.found)
            #expect(report.errorCount == example.found.count)
            #expect(
                try await district.select("SELECT source_id FROM person UNION SELECT digest FROM roster_import") == [])
        }
    }

    @Test("everything that is wrong is told at once", arguments: TestDatabase.available)
    func onePass(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{email_address}")
            let report = try await district.apply(
                .example
                    .replacing("LOC-20,\"Harbour", with: "LOC:20,\"Harbour", in: .locations)
                    .adding("C-BIO8,,,LOC-10", to: .courses)
                    .adding("R-000005,K-X,S-2001", to: .rosters))
            #expect(
                Set(report.defects.map(\.code)) == [
                    .invalidIdentifier, .unknownReference, .duplicateIdentifier, .managedIDGenerationFailed,
                    .courseElsewhere,
                ])
            #expect(report.found.first == "locations.csv:3 location_id invalid_identifier")
            #expect(report.found.last == "rosters.csv:6 class_id unknown_reference")
        }
    }

    @Test("a student who is in a class twice is in it, with a warning", arguments: TestDatabase.available)
    func repeatedMembership(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let files = RosterTexts.example.adding(
                "R-000005,K-BIO8-1,S-2001", "R-000006,K-BIO8-1,S-2001", to: .rosters)
            let report = try await district.apply(files)
            #expect(report.outcome == .applied)
            #expect(
                report.found == [
                    "rosters.csv:6 student_id duplicate_membership", "rosters.csv:7 student_id duplicate_membership",
                ])
            #expect(report.warnings.map(\.count) == [2])
            #expect(report.counts.memberships.inFile == 4)
            #expect(try await district.memberships().filter { $0 == "K-BIO8-1 S-2001" }.count == 1)
            #expect(try await district.apply(files).outcome == .nothingToDo)
        }
    }

    @Test(
        "ids in the letters of any language, with spaces, @ and / come through import and export",
        arguments: TestDatabase.available)
    func otherIdentifiers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            // Decomposed in the one file, composed in the other: one id.
            let files = RosterTexts.example
                .replacing("T-0008", with: "marianun\u{303}ez", in: .staff)
                .replacing("T-0008", with: "marianuñez", in: .classes)
                .replacing("K-READ1-A", with: "\"AG Schach/1\"", in: .classes)
                .replacing("K-READ1-A", with: "\"AG Schach/1\"", in: .rosters)
            let report = try await district.apply(files)
            #expect(report.outcome == .applied)
            #expect(Set(report.defects.map(\.code)) == [.unusualIdentifier])
            #expect(try await district.person("marianuñez")?.familyName == "Meyer")
            #expect(try await district.memberships().contains("AG Schach/1 S-1001"))
            #expect(try await district.apply(files).outcome == .nothingToDo)
        }
    }

    @Test("an empty cell that every row needs is one error", arguments: TestDatabase.available)
    func oneErrorForAnEmptyCell(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.apply(.example.replacing("Noor,Haddad", with: "Noor,", in: .students))
            #expect(report.found == ["students.csv:2 last_name value_missing"])
        }
    }

    @Test(
        "warnings of one kind in one column are counted, and shown once", arguments: TestDatabase.available
    )
    func groupsWarnings(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.apply(
                .example.replacing("T-0008", with: "T_0008", in: .staff).replacing("T-0009", with: "T_0009", in: .staff)
                    .replacing("T-0008", with: "T_0008", in: .classes).replacing("T-0009", with: "T_0009", in: .classes)
            )
            #expect(
                report.warnings.map { "\($0.example.file) \($0.example.column ?? "") \($0.count)" } == [
                    "staff.csv person_id 2", "classes.csv instructor_id_2 1", "classes.csv instructor_id 1",
                ])
            #expect(report.warningCount == 4)
        }
    }

    @Test("the same id again names the line that has it", arguments: TestDatabase.available)
    func namesBothLines(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.plan(.example.adding("S-1001,,Noor,,Haddad,,,LOC-10,", to: .staff))
            let defect = try #require(report.defects.first)
            #expect(defect.line == 5)
            #expect(defect.value == "S-1001")
            #expect(defect.message == "Line 2 of students.csv has the same person_id.")
        }
    }

    @Test("references into a file that cannot be read whole are not judged", arguments: TestDatabase.available)
    func incompleteTarget(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.plan(
                .example.replacing("S-1001,LOC-10,Noor", with: "S-1001,LOC-10", in: .students))
            #expect(report.found == ["students.csv:2 - wrong_cell_count"])
        }
    }

    @Test("a missing file is an error, not an empty one", arguments: TestDatabase.available)
    func missingFile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            var files = RosterTexts.example
            files[.students] = nil
            let report = try await district.apply(files)
            #expect(report.outcome == .defective)
            #expect(report.found == ["students.csv:- - missing_file"])
        }
    }

    @Test("a place that fits ill is a warning, and the import goes on", arguments: TestDatabase.available)
    func warnings(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.apply(
                .example
                    .adding("K-READ1-B,B,C-READ1,T-0009,,,LOC-20", to: .classes)
                    .adding("R-000005,K-READ1-B,S-1001", "R-000006,K-READ1-B,S-2002", to: .rosters))
            #expect(report.outcome == .applied)
            #expect(
                report.found == [
                    "classes.csv:4 location_id course_elsewhere", "rosters.csv:6 student_id student_elsewhere",
                ])
        }
    }

    @Test("values in messages are printable and short", arguments: TestDatabase.available)
    func printableMessages(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let long = String(repeating: "A", count: 300)
            let report = try await district.plan(
                .example.replacing("Reading 1\",LOC-10", with: "Reading 1\",LOC\u{202E}\(long)", in: .courses))
            let elsewhere = try #require(report.defects.first { $0.code == .courseElsewhere })
            #expect(elsewhere.message.count < 150)
            #expect(!elsewhere.message.unicodeScalars.contains("\u{202E}"))
        }
    }

    @Test(
        "what comes twice all through a file is found in one pass", .timeLimit(.minutes(3)),
        arguments: TestDatabase.available)
    func allTwice(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            // Brothers and sisters with the address of their parents, and memberships numbered class by class.
            var files = RosterTexts.example
            files[.students]! += (0..<40_000).map {
                "P-\($0),LOC-10,Pupil,Number,,,,family\($0 % 20_000)@birch.example,,,\n"
            }.joined()
            let report = try await district.plan(files)
            #expect(report.errorCount == 0)
            #expect(report.warnings.map(\.count) == [20_000])
            #expect(report.defects.last?.message == "Line 1005 of students.csv has the same email address.")
            files[.rosters] =
                "roster_id,class_id,student_id\n"
                + (0..<40_000).map { "R-\($0 % 20_000),K-READ1-A,P-\($0)\n" }.joined()
            #expect(try await district.plan(files).errorCount == 20_000)
        }
    }

    @Test("a million defects of a kind are counted, the first thousand told", arguments: TestDatabase.available)
    func manyDefects(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            var files = RosterTexts.example
            files[.rosters] = "roster_id,class_id,student_id\n" + (1...3_000).map { "R-\($0),K-X,S-1001\n" }.joined()
            let report = try await district.plan(files)
            #expect(report.errorCount == 3_000)
            #expect(report.defects.count == 1_000)
        }
    }
}
