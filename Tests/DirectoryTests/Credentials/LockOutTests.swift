import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct LockOutTests {
    private func school(_ database: any Database) async throws -> (School, Person) {
        let school = try await School.insert(in: database)
        let nadia = try await school.insertPerson("nadia", .instructor)
        try await school.setPassword(of: nadia, to: "Corr3ct horse")
        return (school, nadia)
    }

    private func guess(_ school: School, times: Int) async throws {
        for _ in 0..<times {
            let outcome = try await school.passwordSignIn.signIn(
                userName: "nadia@maple.example", password: "wr0ng guess", origin: .system)
            #expect(outcome.isRefused)
        }
    }

    private func signIn(_ school: School, _ password: String = "Corr3ct horse") async throws -> PasswordSignIn.Outcome {
        try await school.passwordSignIn.signIn(userName: "nadia@maple.example", password: password, origin: .system)
    }

    @Test("ten wrong passwords are forgiven, and a right one starts the count anew", arguments: TestDatabase.available)
    func forgiven(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            for _ in 0..<2 {
                try await guess(school, times: 10)
                let outcome = try await signIn(school)
                #expect(outcome.person?.id == nadia.id)
            }
        }
    }

    @Test(
        "the eleventh locks the account, and then the right password is refused too", arguments: TestDatabase.available)
    func locks(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let session = try await school.signIn(nadia)
            try await guess(school, times: 11)
            let state = try await school.state(of: nadia)
            #expect(state == .locked)
            for _ in 0..<2 {
                let outcome = try await signIn(school)
                #expect(outcome.isRefused)
            }
            let records = try await school.auditRecords()
            #expect(records.map(\.action).filter { $0 == "account.locked" }.count == 1)
            #expect(records[10].action == "account.locked")
            let sessions = try await database.read { try $0.exists("SELECT 1 FROM browser_session") }
            #expect(session.person.id == nadia.id)
            #expect(sessions)  // kept for the unlocking, but it opens nothing: see BrowserSessionTests
        }
    }

    @Test("fifty guesses at once lock the account once", arguments: TestDatabase.available)
    func concurrent(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let outcomes = await concurrently(0..<50) { index in
                do {
                    return try await self.signIn(school, "wr0ng guess \(index)").isRefused
                } catch {
                    Issue.record(error)
                    return false
                }
            }
            #expect(outcomes.allSatisfy { $0 })
            let (state, credential) = try await database.read {
                (try Person.find(nadia.id, in: $0)?.state, try Credential.find(for: nadia.id, in: $0))
            }
            #expect(state == .locked)
            #expect(credential?.failures == 50)
            let records = try await school.auditRecords()
            #expect(records.map(\.action).filter { $0 == "account.locked" }.count == 1)
            #expect(records.count == 11)  // the rest is only counted
            let right = try await signIn(school)
            #expect(right.isRefused)
        }
    }

    @Test("a new password unlocks the account", arguments: TestDatabase.available)
    func unlocks(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await guess(school, times: 12)
            let password = try await school.passwordSignIn.issueTemporaryPassword(
                for: nadia, by: .operator, origin: .commandLine)
            let state = try await school.state(of: nadia)
            #expect(state == .active)
            try await guess(school, times: 10)
            let old = try await school.passwordSignIn.signIn(
                userName: nadia.userName, password: password, origin: .system)
            #expect(old.personWhoMustChange?.id == nadia.id)
        }
    }

    @Test("a new password does not bring back a deactivated account", arguments: TestDatabase.available)
    func deactivated(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await school.deactivate(nadia)
            let password = try await school.passwordSignIn.issueTemporaryPassword(
                for: nadia, by: .operator, origin: .commandLine)
            let outcome = try await signIn(school, password)
            #expect(outcome.isRefused)
            try await guess(school, times: 12)
            let state = try await school.state(of: nadia)
            #expect(state == .deactivated)
        }
    }
}
