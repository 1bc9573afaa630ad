@testable import Directory
import Fixtures
import Foundation
import Schema
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

    private func signIn(
        _ school: School, _ password: String = "Corr3ct horse", as name: String = "nadia"
    ) async throws -> PasswordSignIn.Outcome {
        try await school.passwordSignIn.signIn(userName: "\(name)@maple.example", password: password, origin: .system)
    }

    /// Guesses as fast as the pauses allow; the last one may begin another.
    private func guess(_ school: School, times: Int, as name: String = "nadia") async throws {
        for _ in 0..<times {
            var outcome = try await signIn(school, "wr0ng guess", as: name)
            if let wait = outcome.wait {
                school.fixed.advance(by: TimeInterval(wait))
                outcome = try await signIn(school, "wr0ng guess", as: name)
            }
            #expect(outcome.isRefused)
        }
    }

    private func locks(_ school: School) async throws -> [AuditRecord] {
        try await school.auditRecords().filter { $0.action == "account.locked" }
    }

    @Test(
        "each wrong password after the fifth makes the next one wait longer, to a bound; for a name that does not exist as well",
        arguments: TestDatabase.available, ["nadia", "nobody"])
    func pauses(_ kind: TestDatabase, _ name: String) async throws {
        try await kind.with { database in
            let (school, _) = try await school(database)
            var pauses: [Int] = []
            for failures in 1...14 {
                let outcome = try await signIn(school, "wr0ng guess", as: name)
                #expect(outcome.isRefused, "\(failures)")
                let next = try await signIn(school, "wr0ng guess", as: name)
                guard let wait = next.wait else { continue }
                pauses.append(wait)
                school.fixed.advance(by: TimeInterval(wait) - 1)
                let last = try await signIn(school, "wr0ng guess", as: name)
                #expect(last.wait == 1)
                school.fixed.advance(by: 1)
            }
            // The first two rounds tried the first four passwords without a pause; the fifth began the first one.
            #expect(pauses == [60, 120, 240, 480, 900, 900, 1_800, 1_800, 1_800, 1_800, 1_800, 1_800])
        }
    }

    @Test(
        "in a pause the right password is not looked at; after it, it ends the count", arguments: TestDatabase.available
    )
    func rightInPause(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            for _ in 0..<2 {
                try await guess(school, times: 10)
                let early = try await signIn(school)
                #expect(early.wait == 900)
                school.fixed.advance(by: 900)
                let outcome = try await signIn(school)
                #expect(outcome.person?.id == nadia.id)
            }
        }
    }

    @Test("the eleventh locks the account, for half an hour", arguments: TestDatabase.available)
    func locks(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let session = try await school.signIn(nadia)
            try await guess(school, times: 11)
            let state = try await school.state(of: nadia)
            #expect(state == .locked)
            let told = try await locks(school)
            #expect(told.count == 1)
            #expect(
                told.first?.detail.hasPrefix("wrong password; browsers that the account does not know wait until")
                    == true)
            let sessions = try await database.read { try $0.exists("SELECT 1 FROM browser_session") }
            #expect(session.person.id == nadia.id)
            #expect(sessions)  // a stranger's guesses end nobody's session: see BrowserSessionTests

            let early = try await signIn(school)
            #expect(early.wait == 1_800)
            school.fixed.advance(by: 1_800)
            let outcome = try await signIn(school)
            let after = try await school.state(of: nadia)
            #expect(outcome.person?.id == nadia.id)
            #expect(after == .active)
        }
    }

    @Test("a lock ends by itself when its time is over, and not before", arguments: TestDatabase.available)
    func endsByItself(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await guess(school, times: 11)
            school.fixed.advance(by: 1_799)
            let (early, before) = try await tidy(school, nadia)
            #expect(early == false)
            #expect(before == .locked)
            school.fixed.advance(by: 1)
            let (due, after) = try await tidy(school, nadia)
            #expect(due)
            #expect(after == .active)
            let (again, _) = try await tidy(school, nadia)
            #expect(!again)

            // The count goes on: the next wrong one locks again.
            try await guess(school, times: 1)
            let locked = try await school.state(of: nadia)
            #expect(locked == .locked)

            let pupil = try await school.insertPerson("pupil", .student)
            _ = try await school.passwordSignIn.issueTemporaryPassword(for: pupil, by: .operator, origin: .commandLine)
            try await guess(school, times: 11, as: "pupil")
            school.fixed.advance(by: 1_800)
            let (_, ofPupil) = try await tidy(school, pupil)
            #expect(ofPupil == .new)  // has never chosen a password
        }
    }

    private func tidy(_ school: School, _ person: Person) async throws -> (Bool, Person.State?) {
        let now = school.fixed.now
        let due = try await school.database.read { try Credential.hasEndedPauses(at: now, in: $0) }
        try await school.database.write { try Credential.endPauses(at: now, in: $0) }
        return (due, try await school.state(of: person))
    }

    @Test(
        "after a day without a wrong password the count begins anew", arguments: TestDatabase.available,
        ["nadia", "nobody"])
    func forgotten(_ kind: TestDatabase, _ name: String) async throws {
        try await kind.with { database in
            let (school, _) = try await school(database)
            try await guess(school, times: 4, as: name)
            school.fixed.advance(by: 86_400)
            try await guess(school, times: 4, as: name)
            let fifth = try await signIn(school, "wr0ng guess", as: name)
            let sixth = try await signIn(school, "wr0ng guess", as: name)
            #expect(fifth.isRefused)
            #expect(sixth.wait == 60)
        }
    }

    @Test(
        "of a hundred guesses at once five are answered, and each that was looked at counts",
        arguments: TestDatabase.available, ["nadia", "nobody"])
    func concurrent(_ kind: TestDatabase, _ name: String) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let hasher = school.passwordHasher  // one queue of hashes for all
            let signIn = PasswordSignIn(
                database: database, hasher: hasher, surroundings: school.fixed.surroundings)
            try await guess(school, times: 4, as: name)
            let outcomes = await concurrently(0..<96) { index -> PasswordSignIn.Outcome? in
                do {
                    return try await signIn.signIn(
                        userName: "\(name)@maple.example", password: "wr0ng guess \(index)", origin: .system)
                } catch {
                    Issue.record(error)
                    return nil
                }
            }
            // The fifth was refused; attempts that were hashed at the same time, or came later, have to wait.
            #expect(outcomes.filter { $0?.isRefused == true }.count == 1)
            #expect(outcomes.filter { $0?.wait != nil }.count == 95)
            let failures = try await database.read { transaction in
                try transaction.first("SELECT failures FROM unknown_name") { try $0[0] as Int }
                    ?? Credential.find(for: nadia.id, in: transaction)?.failures
            }
            // Attempts after the pause had begun were not checked and do not count. How many these are depends on the
            // machine, but exactly those that were counted were hashed.
            let counted = try #require(failures)
            #expect(counted == 4 + hasher.queue.broughtCount)
            guard name == "nadia" else { return }
            let told = try await locks(school)
            #expect(
                told.count == (5...counted).count { $0 > AttemptPause.forgivenMax && AttemptPause.isTold($0) })
        }
    }

    @Test(
        "what is decided while others fail counts, right or wrong, and is refused",
        arguments: TestDatabase.available, [0, 1, 99])
    func decidedInPause(_ kind: TestDatabase, placeOfRight: Int) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await guess(school, times: 4)
            // All have found no pause before the first is decided, and then they are decided one after the other.
            let signIn = PasswordSignIn(
                database: OrderedDatabase(database, count: 100), hasher: school.passwordHasher,
                surroundings: school.fixed.surroundings)
            let outcomes = await concurrently(0..<100) { place -> PasswordSignIn.Outcome? in
                do {
                    return try await OrderedDatabase.$place.withValue(place) {
                        try await signIn.signIn(
                            userName: nadia.userName,
                            password: place == placeOfRight ? "Corr3ct horse" : "wr0ng guess", origin: .system)
                    }
                } catch {
                    Issue.record(error)
                    return nil
                }
            }
            let failures = try await database.read { try Credential.find(for: nadia.id, in: $0)?.failures }
            let state = try await school.state(of: nadia)
            let isFirst = placeOfRight == 0
            // The right one enters only before the fifth wrong one; then the count begins anew.
            #expect(outcomes.filter { $0?.person != nil }.count == (isFirst ? 1 : 0))
            #expect(outcomes.filter { $0?.isRefused == true }.count == (isFirst ? 5 : 1))
            #expect(outcomes.filter { $0?.wait != nil }.count == (isFirst ? 94 : 99))
            #expect(failures == (isFirst ? 99 : 104))
            #expect(state == .locked)
        }
    }

    @Test("weeks of guessing write a bounded number of audit entries", arguments: TestDatabase.available)
    func bounded(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, _) = try await school(database)
            try await guess(school, times: 120)
            let records = try await school.auditRecords()
            #expect(
                records.map(\.action)
                    == ["sign-in", "sign-in", "sign-in", "sign-in", "account.paused"]
                    + Array(repeating: "sign-in", count: 5) + ["account.locked", "account.locked", "account.locked"])
            #expect(records.allSatisfy { $0.outcome == "refused" })
        }
    }

    @Test("a new password, and whoever runs the server, unlock the account at once", arguments: TestDatabase.available)
    func unlocks(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await guess(school, times: 12)
            let password = try await school.passwordSignIn.issueTemporaryPassword(
                for: nadia, by: .operator, origin: .commandLine)
            let state = try await school.state(of: nadia)
            #expect(state == .active)
            try await guess(school, times: 4)
            let new = try await school.passwordSignIn.signIn(
                userName: nadia.userName, password: password, origin: .system)
            #expect(new.personWhoMustChange?.id == nadia.id)

            try await guess(school, times: 12)
            let unlocked = try await database.write { try Credential.unlock(nadia, in: $0) }
            let again = try await database.write { try Credential.unlock(nadia, in: $0) }
            let after = try await school.state(of: nadia)
            let outcome = try await school.passwordSignIn.signIn(
                userName: nadia.userName, password: password, origin: .system)
            #expect(unlocked)
            #expect(!again)
            #expect(after == .new)  // the temporary password is not chosen by the person
            #expect(outcome.personWhoMustChange?.id == nadia.id)
        }
    }

    @Test(
        "a new password does not bring back a deactivated account, nor does unlocking",
        arguments: TestDatabase.available)
    func deactivated(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            try await school.deactivate(nadia)
            let password = try await school.passwordSignIn.issueTemporaryPassword(
                for: nadia, by: .operator, origin: .commandLine)
            let outcome = try await signIn(school, password)
            #expect(outcome.isRefused)
            try await guess(school, times: 12)
            try await database.write { try Credential.unlock(nadia, in: $0) }
            let state = try await school.state(of: nadia)
            #expect(state == .deactivated)
        }
    }

    @Test(
        "guesses at names that nobody has are kept in a bounded number, the newest", arguments: TestDatabase.available)
    func trimmed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, _) = try await school(database)
            for index in 0..<30 {
                _ = try await signIn(school, "x", as: "nobody\(index)")
                school.fixed.advance(by: 1)
            }
            let now = school.fixed.now
            func count() async throws -> Int? {
                try await database.read { try $0.first("SELECT COUNT(*) FROM unknown_name") { try $0[0] } }
            }
            try await database.write { try UnknownName.trim(at: now, keeping: 9, in: $0) }
            let kept = try await count()
            #expect(kept == 10)
            for index in 26..<30 {
                for _ in 0..<4 { _ = try await signIn(school, "x", as: "NOBODY\(index)") }
                let outcome = try await signIn(school, "x", as: "nobody\(index)")
                #expect(outcome.wait == 60)
            }
            // Every 64th attempt at an unknown name deletes the expired counts.
            school.fixed.advance(by: 86_400)
            for _ in 0..<64 { _ = try await signIn(school, "x", as: "other\(UUID())") }
            let left = try await count()
            #expect(left == 64)
        }
    }
}

/// Holds the first reads back until all of them have begun, and each write until the writes of lower places are done.
private final class OrderedDatabase: Database {
    @TaskLocal static var place = 0

    private let database: any Database
    private let readers: Gathering
    private let writers = Queue()

    init(_ database: any Database, count: Int) {
        self.database = database
        readers = Gathering(count)
    }

    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await database.read(body)
        await readers.arrive()
        return value
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        await writers.reach(Self.place)
        let result: Result<Value, any Error>
        do { result = .success(try await database.write(body)) } catch { result = .failure(error) }
        await writers.leave()
        return try result.get()
    }

    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value {
        try await database.session(body)
    }

    func close() async { await database.close() }
}

private actor Gathering {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { missing = count }

    func arrive() async {
        missing -= 1
        if missing > 0 {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }
}

/// Serves the places 0, 1, 2 … one after the other, whoever comes first.
private actor Queue {
    private var current = 0
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    func reach(_ place: Int) async {
        guard place != current else { return }
        await withCheckedContinuation { waiting[place] = $0 }
    }

    func leave() {
        current += 1
        waiting.removeValue(forKey: current)?.resume()
    }
}
