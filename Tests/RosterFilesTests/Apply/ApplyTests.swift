import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct ApplyTests {
    @Test("the example set gives the expected accounts", arguments: TestDatabase.available)
    func firstImport(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.apply(.example)
            #expect(report.outcome == .applied)
            #expect(report.defects == [])
            #expect(
                report.counts.texts == [
                    .locations: "+2 ~0 -0 ^0 =0", .students: "+4 ~0 -0 ^0 =0", .staff: "+3 ~0 -0 ^0 =0",
                    .courses: "+2 ~0 -0 ^0 =0", .classes: "+2 ~0 -0 ^0 =0", .memberships: "+4 ~0 -0 ^0 =0",
                ])

            let ana = try #require(try await district.person("S-1002"))
            #expect(ana.givenName == "Ana María")
            #expect(ana.userName == "ana.maria.ruiz@birch.example")
            #expect(ana.email == nil)
            #expect(ana.grade == "1")
            #expect(ana.passwordPolicy == .fourDigits)
            #expect(ana.state == .new)
            #expect(ana.source == .csv)
            #expect(ana.createdAt == district.now)
            #expect(try await district.person("T-0008")?.passwordPolicy == nil)

            #expect(try await district.roles("S-2002") == ["student LOC-10 2", "student LOC-20 1"])
            #expect(try await district.roles("T-0007") == ["instructor LOC-10 1", "staff LOC-20 2"])
            #expect(try await district.roles("T-0008") == ["instructor LOC-20 1"])
            #expect(try await district.roles("T-0009") == ["instructor LOC-10 1"])
            #expect(
                try await district.memberships() == [
                    "K-BIO8-1 S-2001", "K-BIO8-1 S-2002", "K-READ1-A S-1001", "K-READ1-A S-1002",
                ])
            #expect(try await district.select("SELECT name FROM class ORDER BY id") == ["Reading 1 A", "Biology 8 1"])
            #expect(
                try await district.select(
                    """
                    SELECT p.source_id FROM class_instructor AS i
                    JOIN person AS p ON p.id = i.person_id
                    ORDER BY i.class_id, i.position
                    """) == ["T-0007", "T-0009", "T-0008"])
        }
    }

    @Test("the same files again change nothing", arguments: TestDatabase.available)
    func secondImport(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let report = try await district.apply(.example)
            #expect(report.outcome == .nothingToDo)
            #expect(report.counts.texts == [:])
            #expect(report.importID == nil)
            #expect(try await district.dump() == before)
        }
    }

    @Test("every import leaves an entry in the audit trail", arguments: TestDatabase.available)
    func audit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.apply(.example.emptying(.students).emptying(.rosters))
            let id = district.organization.id
            let entries = try await database.read { try AuditRecord.page(of: id, after: 0, limit: 10, in: $0) }
            #expect(entries.map(\.action) == ["roster.imported", "roster.imported"])
            #expect(entries.map(\.outcome) == ["done", "refused"])
            #expect(entries.first?.detail.hasPrefix("locations +2") == true)
        }
    }

    @Test("changed values are updated; only what apps see moves the time of change", arguments: TestDatabase.available)
    func changes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let first = district.now
            let report = try await district.force(
                .example
                    .replacing("Noor,Haddad,,40017,1", with: "Nour,Haddad,,40017,2", in: .students)
                    .replacing("40018", with: "99999", in: .students)
                    .replacing("\"Reading 1\"", with: "\"Reading One\"", in: .courses)
                    .replacing("Birch Lane Primary", with: "Birch Lane School", in: .locations))
            #expect(report.outcome == .applied)
            #expect(
                report.counts.texts == [
                    .locations: "+0 ~1 -0 ^0 =1", .students: "+0 ~2 -0 ^0 =2", .courses: "+0 ~1 -0 ^0 =1",
                    .classes: "+0 ~1 -0 ^0 =1",
                ])
            let noor = try #require(try await district.person("S-1001"))
            #expect(noor.givenName == "Nour")
            #expect(noor.grade == "2")
            #expect(noor.modifiedAt == district.now)
            #expect(noor.userName == "noor.haddad@birch.example")
            let ana = try #require(try await district.person("S-1002"))
            #expect(ana.personNumber == "99999")
            #expect(ana.modifiedAt == first)
            #expect(
                try await district.select("SELECT name FROM class ORDER BY id") == ["Reading One A", "Biology 8 1"])
        }
    }

    @Test("a blank password policy leaves a pupil's as it is", arguments: TestDatabase.available)
    func passwordPolicy(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.apply(
                .example.replacing("nhaddad,4", with: "nhaddad,", in: .students)
                    .replacing("tlis,6", with: "tlis,8", in: .students))
            #expect(report.counts.texts == [.students: "+0 ~1 -0 ^0 =3"])
            #expect(try await district.person("S-1001")?.passwordPolicy == .fourDigits)
            #expect(try await district.person("S-2001")?.passwordPolicy == .standard)
        }
    }

    @Test("names in every script arrive, composed as Unicode wants it", arguments: TestDatabase.available)
    func unicode(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let decomposed = "Zoe\u{308}"
            try await district.apply(
                .example
                    .replacing("Noor,Haddad", with: "\(decomposed),Kowalczyk", in: .students)
                    .replacing("Tomasz,Lis", with: "민준,김", in: .students)
                    .replacing("Paul,,Meyer", with: "美咲,,佐藤", in: .staff))
            #expect(try await district.person("S-1001")?.givenName.unicodeScalars.count == 3)
            #expect(try await district.person("S-1001")?.userName == "zoe.kowalczyk@birch.example")
            #expect(try await district.person("S-2001")?.familyName == "김")
            #expect(try await district.person("T-0008")?.givenName == "美咲")
        }
    }

    @Test(
        "a student who leaves a class and one who joins move the class's time of change",
        arguments: TestDatabase.available)
    func memberships(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let first = district.now
            let report = try await district.force(
                .example.replacing("R-000004,K-BIO8-1,S-2002", with: "R-000004,K-BIO8-1,S-1001", in: .rosters))
            #expect(report.counts.texts == [.classes: "+0 ~1 -0 ^0 =1", .memberships: "+1 ~0 -1 ^0 =3"])
            #expect(
                try await district.memberships() == [
                    "K-BIO8-1 S-1001", "K-BIO8-1 S-2001", "K-READ1-A S-1001", "K-READ1-A S-1002",
                ])
            let modified = try await database.read {
                try $0.all("SELECT modified_at FROM class ORDER BY id") { try $0[0] as Date }
            }
            #expect(modified == [first, district.now])
        }
    }

    @Test("a new roster_id for the same student and class is nothing that apps see", arguments: TestDatabase.available)
    func rosterID(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.apply(.example.replacing("R-000004", with: "R-4", in: .rosters))
            #expect(report.counts.texts == [.memberships: "+0 ~1 -0 ^0 =3"])
            #expect(try await district.select("SELECT roster_id FROM class_student WHERE roster_id = 'R-4'") == ["R-4"])
        }
    }

    @Test("instructors and their roles follow the classes", arguments: TestDatabase.available)
    func instructors(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let report = try await district.force(
                .example.replacing("C-READ1,T-0007,T-0009,", with: "C-READ1,T-0009,T-0008,", in: .classes))
            #expect(report.outcome == .applied)
            // Meyer teaches where the row does not name him; Okafor is staff now, Sand has moved up.
            #expect(try await district.roles("T-0008") == ["instructor LOC-10 -", "instructor LOC-20 1"])
            #expect(try await district.roles("T-0007") == ["staff LOC-10 1", "staff LOC-20 2"])
            #expect(report.counts.texts == [.staff: "+0 ~2 -0 ^0 =1", .classes: "+0 ~1 -0 ^0 =1"])
        }
    }

    @Test("a location or instructor named twice in a row counts once", arguments: TestDatabase.available)
    func repeatedValues(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(
                .example.replacing("wvdberg,8,LOC-10", with: "wvdberg,8,LOC-20", in: .students)
                    .replacing("C-READ1,T-0007,T-0009,", with: "C-READ1,T-0007,T-0007,T-0009", in: .classes))
            #expect(try await district.roles("S-2002") == ["student LOC-20 1"])
            #expect(
                try await district.select(
                    "SELECT CAST(position AS TEXT) FROM class_instructor ORDER BY class_id, position") == [
                        "1", "2", "1",
                    ])
        }
    }

    @Test("classes keep their display names while the files have none", arguments: TestDatabase.available)
    func displayNames(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            var named = RosterTexts.example
            let lines = named[.classes]!.split(separator: "\n")
            named[.classes] = "\(lines[0]),class_display_name\n\(lines[1]),Readers\n\(lines[2]),\n"
            try await district.apply(named)
            #expect(try await district.apply(.example).outcome == .nothingToDo)
            let kept = try await district.select("SELECT COALESCE(display_name, '-') FROM class ORDER BY id")
            #expect(kept == ["Readers", "-"])
            let cleared = try await district.force(named.replacing("Readers", with: "", in: .classes))
            #expect(cleared.counts.classes.text == "+0 ~1 -0 ^0 =1")
        }
    }

    @Test("a district of two thousand people arrives whole", arguments: TestDatabase.available)
    func maple(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            let report = try await district.apply(.maple)
            #expect(report.outcome == .applied)
            #expect(report.errorCount == 0)
            let people = try await district.select("SELECT CAST(COUNT(*) AS TEXT) FROM person WHERE state = 'new'")
            #expect(people == ["\(RosterTexts.mapleCounts.people)"])
            let memberships = try await district.select("SELECT CAST(COUNT(*) AS TEXT) FROM class_student")
            #expect(memberships == ["\(RosterTexts.mapleCounts.memberships)"])
            #expect(try await district.apply(.maple).outcome == .nothingToDo)
        }
    }
}
