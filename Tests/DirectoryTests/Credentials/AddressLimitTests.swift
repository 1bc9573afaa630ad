@testable import Directory
import Fixtures
import Foundation
import Ground
import SeededNumbers
import Storage
import TestSupport
import Testing

@Suite struct AddressLimitTests {
    private static let school = Origin.request("r", address: "192.0.2.7")
    private static let home = Origin.request("r", address: "198.51.100.1")

    private func people(_ count: Int, _ school: School) async throws -> [Person] {
        let (hash, now) = (try await school.passwordHasher.hash("Corr3ct horse"), school.fixed.now)
        return try await school.database.write { transaction in
            try (0..<count).map { index in
                let person = try Person.insert(
                    in: school.organization.id, givenName: "Pupil", familyName: "P\(index)",
                    userName: "p\(index)@maple.example", at: now, in: transaction)
                try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
                return person
            }
        }
    }

    @Test(
        "one password tried on everybody exhausts the address for unknown browsers, whether the names exist or not",
        arguments: TestDatabase.available, [true, false])
    func spraying(_ kind: TestDatabase, namesExist: Bool) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupils = try await people(350, school)
            let signIn = school.passwordSignIn
            let first = try await signIn.signIn(
                userName: pupils[349].userName, password: "Corr3ct horse", origin: Self.school)
            let cookie = try #require(first.entry?.knownBrowser).text
            var refused = 0
            for pupil in pupils.prefix(349) {
                let outcome = try await signIn.signIn(
                    userName: namesExist ? pupil.userName : "x\(pupil.userName)", password: "1234", origin: Self.school)
                guard outcome.isRefused else {
                    #expect(outcome.wait == 30)
                    break
                }
                refused += 1
            }
            #expect(refused == 300)
            // Now everybody at this address waits, even with the right password, except in known browsers; other
            // addresses do not.
            let right = try await signIn.signIn(
                userName: pupils[348].userName, password: "Corr3ct horse", origin: Self.school)
            #expect(right.wait == 30)
            for _ in 0..<3 {
                let wrong = try await signIn.signIn(
                    userName: pupils[349].userName, password: "wr0ng", knownBrowser: cookie, origin: Self.school)
                #expect(wrong.isRefused)
            }
            let known = try await signIn.signIn(
                userName: pupils[349].userName, password: "Corr3ct horse", knownBrowser: cookie, origin: Self.school)
            #expect(known.person?.id == pupils[349].id)
            let elsewhere = try await signIn.signIn(
                userName: pupils[348].userName, password: "Corr3ct horse", origin: Self.home)
            #expect(elsewhere.person?.id == pupils[348].id)
            // Half a minute later there is room for one again.
            school.fixed.advance(by: 30)
            let later = try await signIn.signIn(
                userName: pupils[347].userName, password: "Corr3ct horse", origin: Self.school)
            #expect(later.person?.id == pupils[347].id)

            let records = try await database.read { try AuditRecord.page(of: nil, after: 0, limit: 99, in: $0) }
            #expect(records.filter { $0.action == "address.paused" }.map(\.origin) == ["192.0.2.7 r"])
        }
    }

    @Test("a school of 2000 pupils at one address signs in on Monday at eight, and nobody has to wait")
    func mondayAtEight() async throws {
        try await TestDatabase.sqlite.with { database in
            let school = try await School.insert(in: database)
            let pupils = try await people(2_000, school)
            let signIn = school.passwordSignIn
            var generator = SeededGenerator(seed: 8)
            var (failures, waits) = (0, 0)
            for pupil in pupils {
                // Ten minutes; one in four mistypes, some twice, and one in thirty gives up after four.
                school.fixed.advance(by: 0.3)
                let givesUp = Int.random(in: 0..<30, using: &generator) == 0
                let wrong = givesUp ? 4 : [0, 0, 0, 0, 0, 0, 1, 2][Int.random(in: 0..<8, using: &generator)]
                for _ in 0..<wrong {
                    let outcome = try await signIn.signIn(
                        userName: pupil.userName, password: "maple", origin: Self.school)
                    failures += 1
                    if outcome.wait != nil { waits += 1 }
                }
                if givesUp { continue }
                let outcome = try await signIn.signIn(
                    userName: pupil.userName, password: "Corr3ct horse", origin: Self.school)
                if outcome.person == nil { waits += 1 }
            }
            #expect(failures > 600)
            #expect(waits == 0)
        }
    }

    @Test(
        "who signs in gives back what they mistyped, and not what somebody else did", arguments: TestDatabase.available)
    func givenBack(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupils = try await people(4, school)
            var limits = FailureBudget.Limits()
            limits.burst = 6
            limits.perMinute = 0.001
            let signIn = PasswordSignIn(
                database: database, hasher: school.passwordHasher,
                budget: FailureBudget(limits, now: school.fixed.surroundings.now),
                surroundings: school.fixed.surroundings)
            func attempt(_ pupil: Int, _ password: String = "Corr3ct horse") async throws -> PasswordSignIn.Outcome {
                try await signIn.signIn(userName: pupils[pupil].userName, password: password, origin: Self.school)
            }
            // However often a person mistypes and then succeeds, the budget stays as it was.
            for _ in 0..<5 {
                for _ in 0..<4 { _ = try await attempt(0, "wr0ng") }
                let right = try await attempt(0)
                #expect(right.person != nil)
            }
            // Signing in again and again gives a pupil no further guesses at other accounts.
            for _ in 0..<3 {
                _ = try await attempt(1, "wr0ng")
                _ = try await attempt(2, "wr0ng")
                _ = try await attempt(0)
            }
            let spent = try await attempt(3)
            #expect(spent.wait != nil)
        }
    }

    @Test("a hundred attempts at once take no more than the budget has", arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupils = try await people(100, school)
            var limits = FailureBudget.Limits()
            limits.burst = 20
            let signIn = PasswordSignIn(
                database: database, hasher: school.passwordHasher,
                budget: FailureBudget(limits, now: school.fixed.surroundings.now),
                surroundings: school.fixed.surroundings)
            let outcomes = await concurrently(pupils) { pupil in
                try? await signIn.signIn(userName: pupil.userName, password: "1234", origin: Self.school)
            }
            #expect(outcomes.filter { $0?.isRefused == true }.count == 20)
            #expect(outcomes.filter { $0?.wait != nil }.count == 80)
        }
    }

    @Test("an attempt that could not be checked is given back", arguments: TestDatabase.available)
    func overloaded(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await people(1, school)[0]
            var limits = FailureBudget.Limits()
            limits.burst = 50
            let fixed = school.fixed
            let signIn = PasswordSignIn(
                database: database, hasher: PasswordHasher(width: 1, waitingMax: 2, surroundings: fixed.surroundings),
                budget: FailureBudget(limits, now: fixed.surroundings.now), surroundings: fixed.surroundings)
            // The standard cost: most find no place while the first is hashed.
            let outcomes = await concurrently(0..<40) { _ in
                do {
                    _ = try await signIn.signIn(userName: "nobody", password: "x", origin: Self.school)
                    return false
                } catch { return error is PasswordHasher.Overloaded }
            }
            #expect(outcomes.contains(true))
            for _ in 0..<30 {
                let outcome = try await signIn.signIn(
                    userName: pupil.userName, password: "Corr3ct horse", origin: Self.school)
                #expect(outcome.person != nil)
            }
        }
    }
}
