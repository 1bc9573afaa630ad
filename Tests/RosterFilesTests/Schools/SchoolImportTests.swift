import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// Imports of the files of one school, in a district that has others.
@Suite struct SchoolImportTests {
    private static let primary = RosterTexts.example.part(of: "LOC-10")
    private static let secondary = RosterTexts.example.part(of: "LOC-20")

    /// The primary school without whoever is at both, and without a pupil who is only there.
    private static let smaller =
        primary
        .removing("S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4", from: .students)
        .removing("S-2002,LOC-10,Wen,\"van den Berg\",,40231,11,wen.vdb@birch.example,wvdberg,8", from: .students)
        .removing("T-0007,90007,Ines,,Okafor,ines.okafor@birch.example,iokafor,LOC-10", from: .staff)
        .replacing("C-READ1,T-0007,T-0009,", with: "C-READ1,T-0009,,", in: .classes)
        .removing("R-000001,K-READ1-A,S-1001", from: .rosters)

    @Test(
        "who is missing leaves the school, and the organization only if there is no other",
        arguments: TestDatabase.available)
    func leaving(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (before, first) = (try await district.dump(), district.now)
            let report = try await district.force(Self.smaller, of: ["LOC-10"])
            #expect(report.outcome == .applied)
            #expect(
                report.counts.texts == [
                    .students: "+0 ~0 -2 ^0 =1", .staff: "+0 ~0 -1 ^0 =1", .classes: "+0 ~1 -0 ^0 =0",
                    .memberships: "+0 ~0 -1 ^0 =1",
                ])
            #expect(report.counts.students.existing == 3 && report.counts.classes.existing == 1)

            #expect(try await district.person("S-1001")?.state == .deactivated)
            let wen = try #require(try await district.person("S-2002"))
            #expect(wen.state == .new && wen.modifiedAt == district.now)
            #expect(try await district.roles("S-2002") == ["student LOC-20 1"])
            #expect(try await district.roles("T-0007") == ["staff LOC-20 2"])
            #expect(try await district.person("S-2001")?.modifiedAt == first)
            #expect(
                try await district.memberships() == ["K-BIO8-1 S-2001", "K-BIO8-1 S-2002", "K-READ1-A S-1002"])

            try await district.undo()
            #expect(try await district.dump() == before)
            #expect(try await district.apply(.example).outcome == .nothingToDo)
        }
    }

    @Test("a plan shows who only leaves one school as a change", arguments: TestDatabase.available)
    func listing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.plan(Self.smaller, of: ["LOC-10"], show: .init())
            let listing = try #require(report.listing)
            #expect(listing.people.map(\.personID) == ["S-1001", "S-2002", "T-0007"])
            #expect(listing.people.map(\.effect) == [.leaves, .changes, .changes])
            #expect(listing.people[1].name == "Wen van den Berg" && listing.people[1].file == nil)
            #expect(
                listing.people[2].changes == [
                    .init(field: "role", before: "Instructor, Birch Lane Primary", after: nil)
                ])
            #expect(listing.schools.map(\.locationID) == ["LOC-10"])
            #expect(listing.schools[0].count(.changes) == 2 && listing.schools[0].count(.leaves) == 1)
            let next = try await district.plan(Self.smaller, of: ["LOC-10"], show: .init(limit: 2))
            let last = try await district.plan(
                Self.smaller, of: ["LOC-10"], show: .init(after: try #require(next.listing?.next), limit: 2))
            #expect(last.listing?.people.map(\.personID) == ["T-0007"] && last.listing?.next == nil)
        }
    }

    @Test(
        "a pupil who changes the school is at both until the first one's files say otherwise",
        arguments: TestDatabase.available)
    func moving(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            let more = Self.secondary
                .adding("S-1001,LOC-20,Noor,Haddad,,40017,5,noor@birch.example,nhaddad,6", to: .students)
                .adding("R-000009,K-BIO8-1,S-1001", to: .rosters)
            let report = try await district.force(more, of: ["LOC-20"])
            #expect(report.counts.students.text == "+0 ~1 -0 ^0 =2")
            #expect(try await district.roles("S-1001") == ["student LOC-10 1", "student LOC-20 2"])
            let both = try #require(try await district.person("S-1001"))
            #expect(both.id == noor.id && both.grade == "5" && both.email == "noor@birch.example")
            #expect(try await district.memberships().filter { $0.hasSuffix("S-1001") }.count == 2)

            let left = Self.primary
                .removing("S-1001,LOC-10,Noor,Haddad,,40017,1,,nhaddad,4", from: .students)
                .removing("R-000001,K-READ1-A,S-1001", from: .rosters)
            try await district.force(left, of: ["LOC-10"])
            #expect(try await district.roles("S-1001") == ["student LOC-20 2"])
            #expect(try await district.person("S-1001")?.state == .new)
            #expect(try await district.memberships().filter { $0.hasSuffix("S-1001") } == ["K-BIO8-1 S-1001"])
            // The only place is the first one again, which apps do not see.
            #expect(try await district.apply(more, of: ["LOC-20"]).counts.texts == [.students: "+0 ~1 -0 ^0 =2"])
            #expect(try await district.apply(more, of: ["LOC-20"]).outcome == .nothingToDo)
        }
    }

    @Test("who had left one school and comes to another is not at the first again", arguments: TestDatabase.available)
    func comingBack(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            try await district.force(Self.smaller, of: ["LOC-10"])
            let before = try await district.dump()
            let report = try await district.force(
                Self.secondary.adding("S-1001,LOC-20,Noor,Haddad,,40017,5,,nhaddad,6", to: .students), of: ["LOC-20"])
            #expect(report.counts.students.text == "+0 ~0 -0 ^1 =2")
            #expect(try await district.person("S-1001")?.id == noor.id)
            #expect(try await district.person("S-1001")?.state == .new)
            #expect(try await district.roles("S-1001") == ["student LOC-20 1"])
            try await district.undo()
            #expect(try await district.dump() == before)
        }
    }

    @Test(
        "a role by hand at another school keeps an account, one for the organization does not",
        arguments: TestDatabase.available)
    func rolesByHand(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                let other = try #require(try Location.find(sourceID: "LOC-20", in: id, transaction))
                let sand = try #require(try Person.find(sourceID: "T-0009", in: id, transaction))
                try RoleAssignment(.contentManager, at: other.id).insert(for: sand.id, of: id, at: now, in: transaction)
                let noor = try #require(try Person.find(sourceID: "S-1001", in: id, transaction))
                try RoleAssignment(.manager, at: nil).insert(for: noor.id, of: id, at: now, in: transaction)
            }
            let files = Self.smaller
                .removing("T-0009,90009,Rita,,Sand,rita.sand@birch.example,rsand,LOC-10", from: .staff)
                .replacing("C-READ1,T-0009,,", with: "C-READ1,,,", in: .classes)
            try await district.force(files, of: ["LOC-10"])
            #expect(try await district.person("T-0009")?.state == .new)
            #expect(try await district.roles("T-0009") == ["content_manager LOC-20 -"])
            #expect(try await district.person("S-1001")?.state == .deactivated)
        }
    }

    @Test("courses, classes and places of other schools stay", arguments: TestDatabase.available)
    func places(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            // A class of the secondary school belongs to a course of the primary one.
            try await district.apply(.example.adding("K-X,9,C-READ1,,,,LOC-20", to: .classes))
            let files = Self.primary.emptying(.courses).emptying(.classes).emptying(.rosters)
            try await district.force(files, of: ["LOC-10"])
            func living(_ table: String) async throws -> [String] {
                try await district.select("SELECT source_id FROM \(table) WHERE archived_at IS NULL ORDER BY source_id")
            }
            #expect(try await living("location") == ["LOC-10", "LOC-20"])
            #expect(try await living("class") == ["K-BIO8-1", "K-X"])
            #expect(try await living("course") == ["C-BIO8", "C-READ1"])
            // It keeps what files name, as exported files do.
            #expect(try await district.apply(try await district.export()).outcome == .nothingToDo)
        }
    }

    @Test("schools with one information system come together", arguments: TestDatabase.available)
    func several(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(
                .example.adding("LOC-30,Annex", to: .locations).adding("S-3001,LOC-30,New,Pupil,,,,,,,", to: .students))
            let before = try await district.dump()
            let report = try await district.apply(.example, of: ["LOC-20", "LOC-10"])
            #expect(report.outcome == .nothingToDo)
            let changed = RosterTexts.example.replacing("wvdberg,8,LOC-10", with: "wvdberg,8,", in: .students)
            try await district.force(changed, of: ["LOC-10", "LOC-20"])
            #expect(try await district.roles("S-2002") == ["student LOC-20 1"])
            #expect(try await district.person("S-3001")?.state == .new)
            try await district.undo()
            #expect(try await district.dump() == before)
        }
    }

    @Test("the classes can be of a term of the school", arguments: TestDatabase.available)
    func terms(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                let school = try #require(try Location.find(sourceID: "LOC-20", in: id, transaction))
                let days = [CalendarDay("2026-08-17"), CalendarDay("2027-07-02")].compactMap(\.self)
                for (name, location) in [("Year", nil), ("Own", school.id)] as [(String, LocationID?)] {
                    _ = try Term.insert(
                        in: id, name: name, firstDay: days[0], lastDay: days[1], location: location, at: now,
                        in: transaction)
                }
            }
            for schools in [[], ["LOC-10"], ["LOC-10", "LOC-20"]] {
                await #expect(throws: RosterImportError.termOfOneLocation("Own")) {
                    try await district.apply(.example, term: "Own", of: schools)
                }
            }
            #expect(try await district.force(Self.secondary, term: "Own", of: ["LOC-20"]).outcome == .applied)
            func term() async throws -> [String] {
                try await district.select(
                    "SELECT COALESCE(t.name, '-') FROM class AS c LEFT JOIN term AS t ON t.id = c.term_id ORDER BY c.id"
                )
            }
            #expect(try await term() == ["-", "Own"])

            // A term of all schools ends for this one.
            try await district.force(.example, term: "Year")
            let files = Self.secondary.emptying(.classes).emptying(.rosters)
                .adding("K-NEW,1,C-BIO8,,,,LOC-20", to: .classes)
            let held = try await district.apply(files, of: ["LOC-20"])
            let reason = try #require(held.held.first { $0.rule == .endedTerm })
            #expect(reason.count == 1 && reason.school == "Harbour Secondary")
            #expect(reason.description.hasPrefix("The term Year would end at Harbour Secondary: apps would see none"))
        }
    }

    @Test("the audit trail and the history say which school it was", arguments: TestDatabase.available)
    func records(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(Self.smaller, of: ["LOC-10"])
            try await district.undo()
            let details = try await district.select(
                "SELECT detail FROM audit_entry WHERE action LIKE 'roster.import%' ORDER BY sequence")
            #expect(details[0].hasPrefix("locations +2"))
            #expect(details[1].hasPrefix("plan ") && details[1].hasSuffix(" is held for location:1"))
            #expect(details[2].hasPrefix("locations +0"))
            #expect(details[2].hasSuffix(" for location:1") && details[3] == "for location:1")
            let found = try await district.select(
                "SELECT term FROM audit_mention WHERE term LIKE 'location:%' ORDER BY sequence")
            #expect(found == ["location:1", "location:1", "location:1"])
            let id = district.organization.id
            let applied = try await database.read {
                try AppliedImport.page(of: id, before: .max, limit: 9, in: $0)
            }
            let primary = ImportedSchool(
                id: LocationID(rawValue: 1), locationID: "LOC-10", name: "Birch Lane Primary")
            #expect(applied.map(\.schools) == [[primary], nil])
        }
    }
}
