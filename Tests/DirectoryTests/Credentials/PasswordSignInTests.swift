import Ground
@testable import Directory
import Fixtures
import Storage
import Synchronization
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

    @Test(
        "a password that was hashed more cheaply is hashed anew at the sign-in, and nothing ends by it",
        arguments: TestDatabase.available)
    func rehash(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let session = try await school.signIn(nadia)
            func hash() async throws -> String {
                try await database.read { try Credential.find(for: nadia.id, in: $0)?.passwordHash ?? "" }
            }
            let before = try await hash()
            let signIn = PasswordSignIn(
                database: database, hasher: PasswordHasher(cost: .standard, surroundings: school.fixed.surroundings),
                surroundings: school.fixed.surroundings)
            _ = try await signIn.signIn(userName: nadia.userName, password: "wr0ng guess", origin: .system)
            #expect(try await hash() == before)
            _ = try await signIn.signIn(userName: nadia.userName, password: "Corr3ct horse", origin: .system)
            let after = try await hash()
            #expect(before.hasPrefix("$argon2id$v=19$m=8,t=1,") && after.hasPrefix("$argon2id$v=19$m=19456,t=2,"))
            let again = try await signIn.signIn(userName: nadia.userName, password: "Corr3ct horse", origin: .system)
            #expect(again.person?.id == nadia.id)
            #expect(try await hash() == after)
            let now = school.fixed.now
            let living = try await database.read { try BrowserSession.reload(session, at: now, in: $0) }
            #expect(living != nil)
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
            let session = try await school.signIn(nadia)

            let tooShort = try await signIn.change(in: session, to: "1234", origin: .system)
            #expect(tooShort.text == "doesNotFit")
            let same = try await signIn.change(in: session, to: "Corr3ct horse", origin: .system)
            #expect(same.text == "unchanged")
            let stillIn = try await database.read { try $0.exists("SELECT 1 FROM browser_session") }
            #expect(stillIn)

            let changed = try await signIn.change(in: session, to: "Another h0rse", origin: .system)
            let sessions = try await database.read {
                try $0.all("SELECT token_hash FROM browser_session") { try $0[0] as SecretHash }
            }
            #expect(sessions == [try #require(changed.session).hash])
            let old = try await signIn.signIn(userName: nadia.userName, password: "Corr3ct horse", origin: .system)
            #expect(old.isRefused)
            let new = try await signIn.signIn(userName: nadia.userName, password: "Another h0rse", origin: .system)
            #expect(new.person?.id == nadia.id)
        }
    }

    @Test(
        "a session begins in the transaction that admits, and ends what the browser had",
        arguments: TestDatabase.available)
    func session(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let counted = CountingDatabase(database)
            let signIn = PasswordSignIn(
                database: counted, hasher: school.passwordHasher, surroundings: school.fixed.surroundings)
            var token: String?
            for _ in 0..<2 {
                let outcome = try await signIn.signIn(
                    userName: nadia.userName, password: "Corr3ct horse", userAgent: "Safari", replacing: token,
                    origin: .system)
                token = try #require(outcome.session).text
                let sessions = try await database.read {
                    try $0.all("SELECT token_hash FROM browser_session") { try $0[0] as SecretHash }
                }
                #expect(sessions == [SecretHash(of: try #require(token))])
            }
            #expect(counted.writes == 2)
        }
    }

    @Test(
        "every sign-in costs one commit, and no account, no password and no entry can be had by guessing",
        arguments: TestDatabase.available)
    func oneCommit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let locked = try await school.insertPerson("locked", .instructor)
            let gone = try await school.insertPerson("gone", .instructor)
            _ = try await school.insertPerson("nopassword", .student)
            for person in [nadia, locked, gone] { try await school.setPassword(of: person, to: "Corr3ct horse") }
            try await school.deactivate(gone)
            for _ in 0...AttemptPause.forgivenMax {
                _ = try await school.passwordSignIn.signIn(
                    userName: locked.userName, password: "wr0ng guess", origin: .system)
                if try await school.state(of: locked) != .locked { school.fixed.advance(by: 900) }
            }
            let counted = CountingDatabase(database)
            let signIn = PasswordSignIn(
                database: counted, hasher: school.passwordHasher, surroundings: school.fixed.surroundings)
            for (name, password, entries) in [
                ("nobody", "Corr3ct horse", 0), ("nopassword", "Corr3ct horse", 0), ("gone", "wr0ng guess", 0),
                ("gone", "Corr3ct horse", 0), ("nadia", "wr0ng guess", 1),
            ] {
                let (writes, before) = (counted.writes, try await school.auditRecords().count)
                let outcome = try await signIn.signIn(
                    userName: "\(name)@maple.example", password: password, origin: .system)
                #expect(outcome.isRefused)
                let after = try await school.auditRecords().count
                #expect(counted.writes == writes + 1, "\(name) \(password)")
                #expect(after == before + entries, "\(name) \(password)")
            }
            // Whether the person has to wait is answered before anything is hashed or written.
            let (writes, before) = (counted.writes, try await school.auditRecords().count)
            for password in ["wr0ng guess", "Corr3ct horse"] {
                let outcome = try await signIn.signIn(userName: locked.userName, password: password, origin: .system)
                #expect(outcome.wait == 1_800)
            }
            let after = try await school.auditRecords().count
            #expect(counted.writes == writes)
            #expect(after == before)
        }
    }

    @Test("guesses at unknown names are counted by the hour in the server's chain", arguments: TestDatabase.available)
    func unknownNames(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            func guess(times: Int) async throws {
                for index in 0..<times {
                    let outcome = try await school.passwordSignIn.signIn(
                        userName: "nobody\(index)@maple.example", password: "x",
                        origin: .request("r\(index)", address: "192.0.2.1"))
                    #expect(outcome.isRefused)
                }
            }
            try await guess(times: 5)
            school.fixed.advance(by: 2 * 3_600)
            try await guess(times: 3)
            let (records, rows) = try await database.read { transaction in
                (
                    try AuditRecord.page(of: nil, after: 0, limit: 99, in: transaction),
                    try transaction.all("SELECT attempts FROM unknown_sign_in") { try $0[0] as Int }
                )
            }
            #expect(rows == [3])
            #expect(
                records.map { "\($0.action) \($0.outcome) \($0.origin): \($0.detail)" } == [
                    "sign-in refused 192.0.2.1 r0: no account with a password has the user name",
                    """
                    sign-in refused 192.0.2.1 r0: no account with a password has the user name; \
                    in the hour from 2026-09-01T08:00:00Z there were 5
                    """,
                ])
        }
    }

    @Test("a password that was replaced while another was chosen is not overwritten", arguments: TestDatabase.available)
    func replacedWhileChanging(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let signIn = school.passwordSignIn
            let seen = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            _ = try await signIn.signIn(userName: nadia.userName, password: seen, origin: .system)
            let thief = try await school.signIn(nadia)
            let fresh = try await signIn.issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            let outcome = try await signIn.change(in: thief, to: "Another h0rse", origin: .system)
            #expect(outcome.text == "session ended")
            let owner = try await signIn.signIn(userName: nadia.userName, password: fresh, origin: .system)
            #expect(owner.personWhoMustChange?.id == nadia.id)
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
            _ = try await signIn.change(
                in: try await school.signIn(nadia), to: "Corr3ct horse", origin: .system)
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
    var person: Person? { if case .signedIn(let person, _) = self { person } else { nil } }
    var personWhoMustChange: Person? { if case .mustChangePassword(let person, _) = self { person } else { nil } }
    var entry: BrowserEntry? { if case .signedIn(_, let entry) = self { entry } else { nil } }
    var session: Secret? { entry?.session }
    var wait: Int? { if case .mustWait(let seconds) = self { seconds } else { nil } }
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isExpired: Bool { if case .temporaryPasswordExpired = self { true } else { false } }
}

extension PasswordSignIn.ChangeOutcome {
    var entry: BrowserEntry? { if case .changed(let entry) = self { entry } else { nil } }
    var session: Secret? { entry?.session }

    var text: String {
        switch self {
        case .changed: "changed"
        case .refused(let problem): problem.rawValue
        case .unchanged: "unchanged"
        case .sessionEnded: "session ended"
        }
    }
}

/// Counts the transactions that write.
private final class CountingDatabase: Database {
    private let database: any Database
    private let count = Mutex(0)

    init(_ database: any Database) { self.database = database }

    var writes: Int { count.withLock { $0 } }
    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        try await database.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        count.withLock { $0 += 1 }
        return try await database.write(body)
    }

    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        try await database.session(body)
    }

    func close() async { await database.close() }
}
