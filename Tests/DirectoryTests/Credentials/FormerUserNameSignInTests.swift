import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Directory

/// Somebody signs in with a user name from before.
@Suite struct FormerUserNameSignInTests {
    /// A person who was called `nadia@maple.example`, and has the password `Corr3ct horse`.
    private static func renamed(in database: any Database) async throws -> (School, Person) {
        let school = try await School.insert(in: database)
        let nadia = try await school.insertPerson("nadia", .instructor)
        try await school.setPassword(of: nadia, to: "Corr3ct horse")
        let now = school.fixed.now
        try await database.write {
            try nadia.rename(
                userName: "n.berg@maple.example", keepingFormerUntil: now.addingTimeInterval(100), at: now, in: $0)
        }
        return (school, nadia)
    }

    @Test(
        "the right password signs nobody in, and tells the new name; with it the person signs in",
        arguments: TestDatabase.available)
    func tellsTheNewName(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await Self.renamed(in: database)
            let signIn = school.passwordSignIn
            let outcome = try await signIn.signIn(
                userName: "Nadia@maple.example", password: "Corr3ct horse", origin: .request("r", address: "192.0.2.1"))
            guard case .renamed("n.berg@maple.example") = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let sessions = try await database.read {
                try BrowserSession.count(of: nadia.id, at: school.fixed.now, in: $0)
            }
            #expect(sessions == 0)
            let record = try #require(try await school.auditRecords().last)
            #expect(record.action == "sign-in" && record.outcome == "refused")
            #expect(!record.detail.contains("@"))
            #expect(try await school.state(of: nadia) == .new)

            let second = try await signIn.signIn(
                userName: "n.berg@maple.example", password: "Corr3ct horse", origin: .system)
            #expect(second.person?.id == nadia.id)
        }
    }

    @Test(
        "a wrong password is answered, and counted, as for a name that nobody has, and does not show at the new name",
        arguments: TestDatabase.available)
    func tellsStrangersNothing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await Self.renamed(in: database)
            let signIn = school.passwordSignIn
            func attempts(_ name: String) async throws -> [String] {
                var outcomes: [String] = []
                for _ in 0..<8 {
                    let outcome = try await signIn.signIn(userName: name, password: "a guess", origin: .system)
                    outcomes.append(outcome.wait.map { "wait \($0)" } ?? (outcome.isRefused ? "refused" : "else"))
                }
                return outcomes
            }
            let outcomes = try await attempts("nadia@maple.example")
            #expect(outcomes == (try await attempts("nobody@maple.example")))
            #expect(outcomes.first == "refused" && outcomes.last?.hasPrefix("wait") == true)
            #expect(try await database.read { try Credential.find(for: nadia.id, in: $0)?.failures } == 0)
            // While there is a wait the right password is not told from a wrong one.
            let right = try await signIn.signIn(
                userName: "nadia@maple.example", password: "Corr3ct horse", origin: .system)
            #expect(right.wait != nil)
            let current = try await signIn.signIn(
                userName: "n.berg@maple.example", password: "Corr3ct horse", origin: .system)
            #expect(current.person?.id == nadia.id)
        }
    }

    @Test("once its time is over the name is nobody's")
    func expires() async throws {
        try await TestDatabase.sqlite.with { database in
            let (school, _) = try await Self.renamed(in: database)
            school.fixed.advance(by: 100)
            let outcome = try await school.passwordSignIn.signIn(
                userName: "nadia@maple.example", password: "Corr3ct horse", origin: .system)
            #expect(outcome.isRefused)
        }
    }

    @Test("whoever is deactivated is refused by the former name too")
    func deactivated() async throws {
        try await TestDatabase.sqlite.with { database in
            let (school, nadia) = try await Self.renamed(in: database)
            try await school.deactivate(nadia)
            let outcome = try await school.passwordSignIn.signIn(
                userName: "nadia@maple.example", password: "Corr3ct horse", origin: .system)
            #expect(outcome.isRefused)
        }
    }
}
