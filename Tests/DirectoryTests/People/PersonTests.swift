import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct PersonTests {
    @Test("a person is found by user name however it is typed", arguments: TestDatabase.available)
    func byUserName(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let amelie = try await school.insertPerson("Am\u{e9}lie", .student)
            #expect(amelie.userName == "am\u{e9}lie@maple.example")
            #expect(amelie.state == .new)
            for typed in [
                "am\u{e9}lie@maple.example", "AM\u{c9}LIE@Maple.Example", "Ame\u{301}lie@maple.example",
                " am\u{e9}lie@maple.example ",
            ] {
                let found = try await database.read { try Person.find(userName: typed, in: $0) }
                #expect(found?.id == amelie.id, "\(typed)")
            }
        }
    }

    @Test("what is no user name finds nobody", arguments: TestDatabase.available)
    func byNoUserName(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            _ = try await school.insertPerson("nadia", .student)
            for typed in [
                "", "nadia", "nadia@maple.example\0", "nadia@maple.example\0x", "na dia@maple.example", "%",
                String(repeating: "n", count: 5_000),
            ] {
                let found = try await database.read { try Person.find(userName: typed, in: $0) }
                #expect(found == nil, "\(typed.prefix(32).debugDescription)")
            }
        }
    }

    @Test("a user name is taken once on the server", arguments: TestDatabase.available)
    func takenOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple")
            let oak = try await School.insert(in: database, name: "Oak")
            _ = try await maple.insertPerson("nadia", .student)
            await #expect(throws: DirectoryError.userNameTaken("nadia@maple.example")) {
                try await oak.insertPerson("NADIA", .student)
            }
        }
    }

    @Test("names in a verified domain are its organization's to give", arguments: TestDatabase.available)
    func foreignDomain(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple")
            let oak = try await School.insert(in: database, name: "Oak")
            let now = maple.fixed.now
            try await database.write {
                try Domain.put("maple.example", verifiedAt: now, of: maple.organization.id, at: now, in: $0)
                try Domain.put("pine.example", verifiedAt: nil, of: maple.organization.id, at: now, in: $0)
            }
            func insert(_ userName: String, in organization: OrganizationID?) async throws {
                try await database.write {
                    _ = try Person.insert(
                        in: organization, givenName: "N", familyName: "O", userName: userName, at: now, in: $0)
                }
            }
            try await insert("a@Maple.example", in: maple.organization.id)
            try await insert("b@pine.example", in: oak.organization.id)
            for other in [oak.organization.id, nil] {
                await #expect(throws: DirectoryError.domainTaken("maple.example")) {
                    try await insert("c@MAPLE.example", in: other)
                }
            }
            await #expect(throws: DirectoryError.domainTaken("maple.example")) {
                try await database.write {
                    try oak.organization.update(
                        name: "Oak", userNameFormat: .standard(domain: "maple.example"), at: now, in: $0)
                }
            }
        }
    }

    @Test("a person with a bad field is not made", arguments: TestDatabase.available)
    func badField(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            let bad: [(given: String, family: String, email: String?, grade: String?, userName: String)] = [
                ("", "Okoye", nil, nil, "a@maple.example"), ("Nadia", " ", nil, nil, "a@maple.example"),
                ("Nadia", "Okoye", "nadia", nil, "a@maple.example"),
                ("Nadia", "Okoye", nil, "4\u{7}", "a@maple.example"),
                ("Nadia", "Okoye", nil, nil, "a b@maple.example"), ("Nadia", "Okoye", nil, nil, ""),
            ]
            for fields in bad {
                await #expect(throws: DirectoryError.self) {
                    try await database.write { transaction in
                        _ = try Person.insert(
                            in: organization, givenName: fields.given, familyName: fields.family, email: fields.email,
                            grade: fields.grade, userName: fields.userName, at: FixedSurroundings.start, in: transaction
                        )
                    }
                }
            }
            let count = try await database.read { try Person.count(of: organization, in: $0) }
            #expect(count == 0)
        }
    }

    @Test("the last administrator cannot be deactivated", arguments: TestDatabase.available)
    func lastAdministrator(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let first = try await school.insertPerson("first", .administrator, .instructor)
            let second = try await school.insertPerson("second", .administrator)
            _ = try await school.insertPerson("manager", .siteManager)
            let other = try await School.insert(in: database, name: "Oak")
            _ = try await other.insertPerson("foreign", .administrator)

            try await school.deactivate(second)
            await #expect(throws: DirectoryError.lastAdministrator("first Okoye")) {
                try await school.deactivate(first)
            }
            let state = try await database.read { try Person.find(first.id, in: $0)?.state }
            #expect(state == .new)
        }
    }

    @Test("of two last administrators who are deactivated at once, one stays", arguments: TestDatabase.available)
    func lastAdministratorRace(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            var administrators: [Person] = []
            for index in 0..<6 { administrators.append(try await school.insertPerson("a\(index)", .administrator)) }
            let gone = await concurrently(administrators) { (try? await school.deactivate($0)) != nil }
            #expect(gone.filter { $0 }.count == 5)
        }
    }

    @Test(
        "a deactivated person comes back in the state that the password tells, an active one is left alone",
        arguments: TestDatabase.available)
    func reactivate(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .student)
            let later = FixedSurroundings.start + 60
            let untouched = try await database.write { transaction in
                try nadia.reactivate(at: later, in: transaction)
                return try Person.find(nadia.id, in: transaction)
            }
            #expect(untouched == nadia)
            try await school.deactivate(nadia)
            let back = try await database.write { transaction in
                try nadia.reactivate(at: later, in: transaction)
                return try Person.find(nadia.id, in: transaction)
            }
            #expect(back?.state == .new)
            #expect(back?.modifiedAt == later)

            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            for (failures, state) in [(0, Person.State.active), (10, .active), (11, .locked)] {
                try await school.deactivate(nadia)
                let back = try await database.write { transaction in
                    try transaction.execute(
                        "UPDATE credential SET failures = $1, paused_until = $2", [failures, later])
                    try nadia.reactivate(at: later, in: transaction)
                    return try Person.find(nadia.id, in: transaction)?.state
                }
                #expect(back == state)
            }
        }
    }

    @Test("of those who take a user name at once, one gets it, the others hear why", arguments: TestDatabase.available)
    func userNameRace(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let taken = await concurrently(0..<16) { _ in
                do {
                    _ = try await school.insertPerson("nadia")
                    return true
                } catch DirectoryError.userNameTaken("nadia@maple.example") {
                    return false
                } catch {
                    Issue.record(error)
                    return false
                }
            }
            #expect(taken.filter { $0 }.count == 1)
        }
    }

    @Test("whom only an import keeps out can be kept out for good", arguments: TestDatabase.available)
    func deactivateMissing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .student)
            let now = school.fixed.now
            let outcomes = try await database.write { transaction in
                try transaction.execute(
                    "UPDATE person SET state = 'deactivated', deactivated_at = $2, missing_since = $2 WHERE id = $1",
                    [nadia.id, now])
                return [try nadia.deactivate(at: now, in: transaction), try nadia.deactivate(at: now, in: transaction)]
            }
            #expect(outcomes == [true, false])
            let isMissing = try await database.read {
                try $0.exists("SELECT 1 FROM person WHERE missing_since IS NOT NULL")
            }
            #expect(!isMissing)
        }
    }
}
