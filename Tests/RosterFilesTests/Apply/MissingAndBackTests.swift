import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct MissingAndBackTests {
    /// The example without one of its students.
    static let withoutLis = RosterTexts.example
        .removing("S-2001,LOC-20,Tomasz,Lis,Jan,40230,8,tomasz.lis@birch.example,tlis,6,", from: .students)
        .removing("R-000003,K-BIO8-1,S-2001", from: .rosters)

    @Test("who is missing is deactivated, and comes back with the same id", arguments: TestDatabase.available)
    func person(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try #require(try await district.person("S-2001"))
            try await signIn(before, district)

            let report = try await district.force(Self.withoutLis)
            #expect(report.counts.students.text == "+0 ~0 -1 ^0 =3")
            let missing = try #require(try await district.person("S-2001"))
            #expect(missing.state == .deactivated)
            #expect(missing.modifiedAt == district.now)
            #expect(try await district.select("SELECT user_agent FROM browser_session") == [])
            #expect(try await district.memberships().contains("K-BIO8-1 S-2001") == false)

            let back = try await district.apply(.example)
            #expect(
                back.counts.texts == [
                    .students: "+0 ~0 -0 ^1 =3", .classes: "+0 ~1 -0 ^0 =1", .memberships: "+1 ~0 -0 ^0 =3",
                ])
            let after = try #require(try await district.person("S-2001"))
            #expect(after.id == before.id)
            #expect(after.state == .active)
            #expect(try await district.memberships().contains("K-BIO8-1 S-2001"))
        }
    }

    @Test(
        "who leaves by an import, or by taking one back, leaves sessions, devices and apps for good",
        arguments: TestDatabase.available)
    func endsSignIns(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let lis = try #require(try await district.person("S-2001"))
            try await signIn(lis, district)
            let id = lis.id.rawValue
            try await district.execute(
                """
                INSERT INTO registered_device (public_id, person_id, name, public_key, thumbprint, facts, registered_at)
                SELECT 'd', person_id, 'laptop', token_hash, 't', '{}', 0 FROM browser_session
                """)
            try await district.execute(
                """
                INSERT INTO device_registration_code (person_id, code_hash, expires_at)
                SELECT person_id, token_hash, 9 FROM browser_session
                """)
            try await district.execute(
                """
                INSERT INTO known_browser (browser_hash, person_id, used_at)
                SELECT token_hash, person_id, 9 FROM browser_session
                """)
            let ends = """
                (SELECT COUNT(*) FROM browser_session) + (SELECT COUNT(*) FROM registered_device)
                + (SELECT COUNT(*) FROM device_registration_code) + (SELECT COUNT(*) FROM known_browser)
                """
            let leaving = "SELECT '' || sign_in_version || ' ' || (\(ends)) FROM person WHERE id = \(id)"
            let departed = "SELECT '' || person_id FROM departure ORDER BY person_id"
            #expect(try await district.select(leaving) == ["1 4"])
            #expect(try await district.select(departed) == [])

            try await district.force(Self.withoutLis)
            #expect(try await district.select(leaving) == ["2 0"])
            #expect(try await district.select(departed) == ["\(id)"])
            try await district.apply(.example)
            #expect(try await district.select(leaving) == ["2 0"])
            // Whom the import brought back leaves again.
            try await district.undo()
            #expect(try await district.select(leaving) == ["3 0"])
            #expect(try await district.select(departed) == ["\(id)"])
        }
    }

    @Test("a class made by hand changes with who goes missing in it, and comes back", arguments: TestDatabase.available)
    func classesByHand(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let (organization, start) = (district.organization.id, District.start)
            let lis = try #require(try await district.person("S-2001"))
            let club = try await database.write {
                try RosterClass.insert(in: organization, name: "Chess", students: [lis.id], at: start, in: $0)
            }
            func modifiedAt() async throws -> Date? {
                try await database.read { try RosterClass.find(club, in: organization, $0)?.modifiedAt }
            }
            try await district.force(Self.withoutLis)
            #expect(try await modifiedAt() == district.now)
            try await district.undo()
            #expect(try await modifiedAt() == district.now)
            try await district.force(Self.withoutLis)
            try await district.apply(.example)
            #expect(try await modifiedAt() == district.now)
            try await district.apply(.example)
            #expect(try await modifiedAt() != district.now)
        }
    }

    @Test("who never chose a password comes back as new, who is locked as locked", arguments: TestDatabase.available)
    func states(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.force(Self.withoutLis)
            try await district.apply(.example)
            #expect(try await district.person("S-2001")?.state == .new)

            let person = try #require(try await district.person("S-2001"))
            try await district.execute(
                """
                INSERT INTO credential (person_id, password_hash, failures, paused_until, changed_at)
                VALUES (\(person.id.rawValue), 'x', 11, 1, 0)
                """)
            try await district.force(Self.withoutLis)
            try await district.apply(.example)
            #expect(try await district.person("S-2001")?.state == .locked)
        }
    }

    @Test("who was deactivated by hand stays so", arguments: TestDatabase.available)
    func deactivatedByHand(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let person = try #require(try await district.person("S-2001"))
            let now = district.now
            try await database.write { try person.deactivate(at: now, in: $0) }
            let report = try await district.apply(.example)
            #expect(report.outcome == .nothingToDo)
            #expect(report.found == ["students.csv:4 person_id deactivated_by_hand"])
            #expect(try await district.person("S-2001")?.state == .deactivated)
        }
    }

    @Test("who was missing, came back by hand and was deactivated by hand stays out", arguments: TestDatabase.available)
    func deactivatedByHandAfterAnImport(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            for comesBackFirst in [true, false] {
                try await district.apply(.example)
                try await district.force(Self.withoutLis)
                let person = try #require(try await district.person("S-2001"))
                let now = district.now
                try await database.write { transaction in
                    if comesBackFirst { try person.reactivate(at: now, in: transaction) }
                    try person.deactivate(at: now, in: transaction)
                }
                let report = try await district.apply(.example)
                #expect(report.found == ["students.csv:4 person_id deactivated_by_hand"])
                #expect(try await district.person("S-2001")?.state == .deactivated)
                try await district.undo()
                #expect(try await district.person("S-2001")?.state == .deactivated)
                try await database.write { try person.reactivate(at: now, in: $0) }
            }
        }
    }

    @Test("roles given by hand stay", arguments: TestDatabase.available)
    func manualRoles(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let person = try #require(try await district.person("T-0008"))
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                let harbour = try Location.find(sourceID: "LOC-20", in: id, transaction)
                try RoleAssignment(.manager, at: harbour?.id).insert(for: person.id, of: id, at: now, in: transaction)
                try RoleAssignment(.instructor, at: harbour?.id).insert(
                    for: person.id, of: id, at: now, in: transaction)
            }
            // Nobody names him as instructor there any more.
            try await district.force(
                .example.replacing("C-BIO8,T-0008,", with: "C-BIO8,T-0007,", in: .classes))
            #expect(
                try await district.roles("T-0008") == ["instructor LOC-20 -", "manager LOC-20 -", "staff LOC-20 1"])
        }
    }

    @Test(
        "a missing class is archived with its members, and comes back with them",
        arguments: TestDatabase.available)
    func classAndCourse(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try await district.dump()
            let without = RosterTexts.example
                .removing("K-BIO8-1,1,C-BIO8,T-0008,,,LOC-20", from: .classes)
                .removing("R-000003,K-BIO8-1,S-2001", "R-000004,K-BIO8-1,S-2002", from: .rosters)
                .removing("C-BIO8,808,\"Biology 8\",LOC-20", from: .courses)
            let report = try await district.force(without)
            #expect(report.counts.classes.text == "+0 ~0 -1 ^0 =1")
            #expect(report.counts.courses.text == "+0 ~0 -1 ^0 =1")
            #expect(report.counts.memberships.text == "+0 ~0 -2 ^0 =2")
            #expect(
                try await district.select("SELECT source_id FROM class WHERE archived_at IS NULL") == ["K-READ1-A"])
            #expect(try await district.memberships().filter { $0.hasPrefix("K-BIO8-1 ") }.count == 2)
            #expect(try await district.select("SELECT source_id FROM course WHERE archived_at IS NULL") == ["C-READ1"])

            let back = try await district.apply(.example)
            #expect(back.counts.classes.text == "+0 ~0 -0 ^1 =1")
            #expect(back.counts.courses.text == "+0 ~0 -0 ^1 =1")
            #expect(back.counts.memberships.text == "+0 ~0 -0 ^2 =2")
            #expect(try await district.dump() == before)
        }
    }

    @Test("a missing location is archived, unless something made by hand is there", arguments: TestDatabase.available)
    func location(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let more = RosterTexts.example.adding("LOC-30,Annex", to: .locations)
            try await district.apply(more)
            let id = district.organization.id
            let now = district.now
            let annex = try await database.read { try Location.find(sourceID: "LOC-30", in: id, $0) }
            let classID = try await database.write { transaction in
                try RosterClass.insert(in: id, name: "Choir", location: annex?.id, at: now, in: transaction)
            }
            let refused = try await district.apply(.example)
            #expect(refused.outcome == .defective)
            #expect(refused.found == ["locations.csv:- location_id location_in_use"])
            #expect(refused.defects[0].message.hasSuffix("still there: class Choir."))

            try await district.execute("UPDATE class SET archived_at = 1 WHERE id = \(classID.rawValue)")
            let report = try await district.force(.example)
            #expect(report.counts.texts == [.locations: "+0 ~0 -1 ^0 =2"])
            #expect(
                try await district.select("SELECT source_id FROM location WHERE archived_at IS NULL ORDER BY id")
                    == ["LOC-10", "LOC-20"])
            #expect(try await district.apply(more).counts.texts == [.locations: "+0 ~0 -0 ^1 =2"])
        }
    }

    @Test("the last active Administrator is never deactivated", arguments: TestDatabase.available)
    func lastAdministrator(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let person = try #require(try await district.person("T-0009"))
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try RoleAssignment(.administrator, at: nil).insert(for: person.id, of: id, at: now, in: transaction)
            }
            let without = RosterTexts.example
                .removing("T-0009,90009,Rita,,Sand,rita.sand@birch.example,rsand,LOC-10,", from: .staff)
                .replacing("T-0007,T-0009,", with: "T-0007,,", in: .classes)
            let report = try await district.force(without)
            #expect(report.outcome == .applied)
            #expect(report.found == ["staff.csv:- person_id last_administrator"])
            #expect(try await district.person("T-0009")?.state == .new)
        }
    }

    @Test("who moves from students to staff keeps the account", arguments: TestDatabase.available)
    func studentBecomesStaff(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let before = try #require(try await district.person("S-2001"))
            let report = try await district.force(
                Self.withoutLis.adding("S-2001,40230,Tomasz,Jan,Lis,tomasz.lis@birch.example,tlis,LOC-20,", to: .staff))
            #expect(report.outcome == .applied)
            #expect(try await district.roles("S-2001") == ["staff LOC-20 1"])
            let after = try #require(try await district.person("S-2001"))
            #expect(after.id == before.id)
            #expect(after.passwordPolicy == nil)
            #expect(after.grade == nil)
        }
    }

    private func signIn(_ person: Person, _ district: District) async throws {
        try await district.execute(
            """
            INSERT INTO credential (person_id, password_hash, failures, changed_at)
            VALUES (\(person.id.rawValue), 'x', 0, 0)
            """)
        let (now, surroundings) = (district.now, district.surroundings)
        try await district.database.write { transaction in
            try person.activate(in: transaction)
            _ = try BrowserSession.insert(
                for: person.id, userAgent: "Safari", at: now, from: surroundings, in: transaction)
        }
    }
}
