@testable import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct PasswordSignInTests {
    @Test(
        "the right password signs in, in any spelling of the user name, and makes a new account active",
        arguments: TestDatabase.available)
    func signsIn(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let outcome = try await school.passwordSignIn.signIn(
                userName: "Nadia@Maple.example", password: "Corr3ct horse", origin: .request("r1", address: "192.0.2.1")
            )
            #expect(outcome.person?.id == nadia.id)
            let state = try await school.state(of: nadia)
            #expect(state == .active)
            let record = try #require(try await school.auditRecords().last)
            #expect(record.action == "sign-in")
            #expect(record.outcome == "done")
            #expect(record.actor == "person:\(nadia.id.rawValue)")
            #expect(record.origin == "192.0.2.1 r1")
        }
    }

    @Test("everything but the right password is refused in the same way", arguments: TestDatabase.available)
    func refuses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            _ = try await school.insertPerson("nopassword", .student)
            let gone = try await school.insertPerson("gone", .student)
            try await school.setPassword(of: gone, to: "Corr3ct horse")
            try await school.deactivate(gone)
            for (userName, password) in [
                ("nadia@maple.example", ""), ("nadia@maple.example", "corr3ct horse"),
                ("nobody@maple.example", "Corr3ct horse"),
                ("", ""), ("nopassword@maple.example", ""), ("gone@maple.example", "Corr3ct horse"),
            ] {
                let outcome = try await school.passwordSignIn.signIn(
                    userName: userName, password: password, origin: .system)
                #expect(outcome.isRefused, "\(userName) \(password)")
            }
            let (state, ofGone) = (try await school.state(of: nadia), try await school.state(of: gone))
            #expect(state == .new)
            #expect(ofGone == .deactivated)
        }
    }

    @Test("a password that was replaced while it was checked admits nobody", arguments: TestDatabase.available)
    func replacedMeanwhile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let old = try #require(try await database.read { try Credential.find(for: nadia.id, in: $0) }).passwordHash
            let before = try await database.read { try Credential.isAdmitted(nadia.id, with: old, in: $0) }
            try await school.setPassword(of: nadia, to: "Another h0rse")
            let after = try await database.read { try Credential.isAdmitted(nadia.id, with: old, in: $0) }
            #expect(before == true)
            #expect(after == false)
        }
    }

    @Test(
        "a chosen password must meet the policy, and end the old one and every session",
        arguments: TestDatabase.available)
    func change(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let signIn = school.passwordSignIn
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            _ = try await school.signIn(nadia)

            let tooShort = try await signIn.change(of: nadia, to: "1234", origin: .system)
            #expect(tooShort == .doesNotMeet(.standard))
            let same = try await signIn.change(of: nadia, to: "Corr3ct horse", origin: .system)
            #expect(same == .unchanged)
            let stillIn = try await database.read { try $0.exists("SELECT 1 FROM browser_session") }
            #expect(stillIn)

            let changed = try await signIn.change(of: nadia, to: "Another h0rse", origin: .system)
            #expect(changed == .changed)
            let sessions = try await database.read { try $0.exists("SELECT 1 FROM browser_session") }
            #expect(!sessions)
            let old = try await signIn.signIn(userName: nadia.userName, password: "Corr3ct horse", origin: .system)
            #expect(old.isRefused)
            let new = try await signIn.signIn(userName: nadia.userName, password: "Another h0rse", origin: .system)
            #expect(new.person?.id == nadia.id)
        }
    }

    @Test("the audit trail holds neither passwords nor names", arguments: TestDatabase.available)
    func auditIsSilent(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let signIn = school.passwordSignIn
            let password = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            _ = try await signIn.signIn(userName: nadia.userName, password: "wr0ng guess", origin: .system)
            _ = try await signIn.signIn(userName: nadia.userName, password: password, origin: .system)
            _ = try await signIn.change(of: nadia, to: "Corr3ct horse", origin: .system)
            let records = try await school.auditRecords()
            #expect(records.map(\.action) == ["password.issued", "sign-in", "sign-in", "password.changed"])
            #expect(records.map(\.outcome) == ["done", "refused", "done", "done"])
            let text = records.map { "\($0)" }.joined()
            for secret in [password, "wr0ng guess", "Corr3ct horse", "nadia", "Okoye"] {
                #expect(!text.contains(secret))
            }
        }
    }
}

extension PasswordSignIn.Outcome {
    var person: Person? { if case .signedIn(let person) = self { person } else { nil } }
    var personWhoMustChange: Person? { if case .mustChangePassword(let person) = self { person } else { nil } }
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isExpired: Bool { if case .temporaryPasswordExpired = self { true } else { false } }
}
