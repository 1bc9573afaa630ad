import Directory
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// What is wrong in files that are to be those of one school.
@Suite struct SchoolDefectTests {
    private static let primary = RosterTexts.example.part(of: "LOC-10")
    private static let secondary = RosterTexts.example.part(of: "LOC-20")

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let files: RosterTexts
        let found: [String]

        var testDescription: String { name }
    }

    static let faulty = [
        Case(
            name: "two schools", files: .example, found: ["locations.csv:3 location_id other_school"]),
        Case(
            name: "an unknown school besides", files: primary.adding("LOC-99,Nowhere", to: .locations),
            found: ["locations.csv:3 location_id other_school"]),
        Case(
            name: "another school's files", files: secondary,
            found: ["locations.csv:- location_id school_missing", "locations.csv:2 location_id other_school"]),
        Case(
            name: "no school",
            files: primary.emptying(.locations).emptying(.students).emptying(.staff).emptying(.courses)
                .emptying(.classes).emptying(.rosters),
            found: ["locations.csv:- location_id school_missing"]),
        Case(
            name: "another school's class and course",
            files: primary.adding("C-BIO8,808,Biology,LOC-10", to: .courses)
                .adding("K-BIO8-1,1,C-BIO8,,,,LOC-10", to: .classes),
            found: [
                "courses.csv:3 course_id other_schools_record", "classes.csv:3 class_id other_schools_record",
            ]),
        Case(
            name: "a pupil and a teacher of another school who are the contrary",
            files: primary.adding("S-2001,40230,Tomasz,Jan,Lis,,tlis,LOC-10", to: .staff)
                .adding("T-0008,LOC-10,Paul,Meyer,,,1,,pmeyer,", to: .students),
            found: [
                "students.csv:5 person_id duplicate_identifier", "staff.csv:4 person_id duplicate_identifier",
            ]),
    ]

    @Test("it is named, and nothing is changed", arguments: TestDatabase.available, faulty)
    func defects(_ kind: TestDatabase, _ example: Case) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let report = try await district.apply(example.files, of: ["LOC-10"])
            #expect(report.outcome == .defective)
            #expect(report.found == example.found)
            #expect(try await district.dump() == before)
        }
    }

    @Test("a class that another school has archived is another school's still", arguments: TestDatabase.available)
    func archived(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(Self.secondary.emptying(.classes).emptying(.rosters), of: ["LOC-20"])
            let report = try await district.apply(
                Self.primary.adding("K-BIO8-1,1,C-READ1,,,,LOC-10", to: .classes), of: ["LOC-10"])
            #expect(report.found == ["classes.csv:3 class_id other_schools_record"])
            #expect(report.defects.first?.message.contains("has an archived class with this id") == true)
        }
    }

    @Test("whoever left the other school may be anything here", arguments: TestDatabase.available)
    func formerPupil(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let without = Self.secondary
                .removing("S-2001,LOC-20,Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis,6", from: .students)
                .removing("R-000003,K-BIO8-1,S-2001", from: .rosters)
            try await district.force(without, of: ["LOC-20"])
            let report = try await district.force(
                Self.primary.adding("S-2001,40230,Tomasz,Jan,Lis,,tlis,LOC-10", to: .staff), of: ["LOC-10"])
            #expect(report.outcome == .applied)
            #expect(try await district.roles("S-2001") == ["staff LOC-10 1"])
            #expect(try await district.apply(try await district.export()).outcome == .nothingToDo)
        }
    }

    @Test("an id is not taken from somebody who is at another school too", arguments: TestDatabase.available)
    func newPerson(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let line = "S-2002,LOC-10,Wen,\"van den Berg\",,40231,11,wen.vdb@birch.example,wvdberg,8"
            let taken = Self.primary.replacing(line, with: "S-2002,LOC-10,Emil,Weber,,,3,,eweber,", in: .students)
            let report = try await district.apply(taken, newPeople: ["S-2002"], of: ["LOC-10"])
            #expect(report.found == ["students.csv:4 person_id new_person_elsewhere"])
            let own = Self.primary.replacing(
                "S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4", with: "S-1001,LOC-10,Emil,Weber,,,3,,eweber,",
                in: .students)
            #expect(try await district.force(own, newPeople: ["S-1001"], of: ["LOC-10"]).outcome == .applied)
        }
    }

    @Test("the school must be there, and have an id in files", arguments: TestDatabase.available)
    func schools(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (id, now) = (district.organization.id, district.now)
            let annex = try await database.write { try Location.insert(in: id, name: "Annex", at: now, in: $0).id }
            let other = try await database.write { transaction in
                let other = try Organization.insert(name: "Other", kind: .school, at: now, in: transaction).id
                return try Location.insert(in: other, sourceID: "LOC-10", name: "Its", at: now, in: transaction).id
            }
            try await district.execute("UPDATE location SET archived_at = 1 WHERE source_id = 'LOC-20'")
            let unknown = LocationID(rawValue: 999)
            let archived = try await database.read { transaction in
                try #require(
                    try transaction.first("SELECT id FROM location WHERE source_id = 'LOC-20'") {
                        try $0[0] as LocationID
                    })
            }
            for (school, error) in [
                (annex, RosterImportError.schoolWithoutID("Annex")), (unknown, .noSuchSchool(unknown)),
                (other, .noSuchSchool(other)), (archived, .noSuchSchool(archived)),
            ] {
                _ = try await Self.primary.onDisk { path in
                    await #expect(throws: error) {
                        try await district.importer.run(
                            organization: id, from: path, mode: .apply(approval: nil), schools: [school],
                            actor: .operator, origin: .commandLine)
                    }
                }
            }
        }
    }
}
