@testable import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// A clock that was wrong for a moment.
@Suite struct WrongClockTests {
    private func signIn(_ school: School, _ password: String, as name: String) async throws -> PasswordSignIn.Outcome {
        try await school.passwordSignIn.signIn(userName: "\(name)@maple.example", password: password, origin: .system)
    }

    @Test(
        "a pause that was begun a month ahead is over when the clock is right, and the next wrong password begins one by it",
        arguments: TestDatabase.available, ["nadia", "nobody"])
    func pause(_ kind: TestDatabase, _ name: String) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            school.fixed.advance(by: 30 * 86_400)
            for _ in 0..<5 { _ = try await signIn(school, "wr0ng guess", as: name) }
            let ahead = try await signIn(school, "wr0ng guess", as: name)
            #expect(ahead.wait == 60)
            school.fixed.advance(by: -30 * 86_400)
            let first = try await signIn(school, "wr0ng guess", as: name)
            #expect(first.isRefused)
            let second = try await signIn(school, "wr0ng guess", as: name)
            #expect(second.wait == 120)
            school.fixed.advance(by: 120)
            let right = try await signIn(school, "Corr3ct horse", as: name)
            #expect((right.person != nil) == (name == "nadia"))
        }
    }

    @Test("a lock of a month ahead is cleared away at once", arguments: TestDatabase.available)
    func lock(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            school.fixed.advance(by: 30 * 86_400)
            for _ in 0..<11 {
                if let wait = try await signIn(school, "wr0ng guess", as: "nadia").wait {
                    school.fixed.advance(by: TimeInterval(wait))
                    _ = try await signIn(school, "wr0ng guess", as: "nadia")
                }
            }
            let locked = try await school.state(of: nadia)
            #expect(locked == .locked)
            school.fixed.advance(by: -30 * 86_400)
            let now = school.fixed.now
            let isDue = try await database.read { try Credential.hasEndedPauses(at: now, in: $0) }
            #expect(isDue)
            try await database.write { try Credential.endPauses(at: now, in: $0) }
            let after = try await school.state(of: nadia)
            #expect(after == .active)
        }
    }

    @Test("wrong passwords in a session, counted a month ahead, keep nobody waiting")
    func confirmation() async throws {
        try await TestDatabase.sqlite.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let session = try await school.signIn(nadia)
            try await database.write {
                try $0.execute(
                    "UPDATE browser_session SET wrong_passwords = 5, wrong_since = $1",
                    [school.fixed.now.addingTimeInterval(30 * 86_400)])
            }
            let confirmation = PasswordConfirmation(
                database: database, hasher: school.passwordHasher, surroundings: school.fixed.surroundings)
            let outcome = try await confirmation.confirm("Corr3ct horse", in: session)
            #expect(outcome == .confirmed)
        }
    }
}
