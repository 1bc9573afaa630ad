import Ground
@testable import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct KnownBrowserTests {
    private func school(_ database: any Database) async throws -> (School, Person) {
        let school = try await School.insert(in: database)
        let nadia = try await school.insertPerson("nadia", .instructor)
        try await school.setPassword(of: nadia, to: "Corr3ct horse")
        return (school, nadia)
    }

    private func signIn(
        _ school: School, _ password: String = "Corr3ct horse", as name: String = "nadia", in browser: String? = nil
    ) async throws -> PasswordSignIn.Outcome {
        try await school.passwordSignIn.signIn(
            userName: "\(name)@maple.example", password: password, knownBrowser: browser, origin: .system)
    }

    /// The cookie after a sign-in.
    private func enter(_ school: School, as name: String = "nadia", in browser: String? = nil) async throws -> String {
        let outcome = try await signIn(school, as: name, in: browser)
        return try #require(outcome.entry?.knownBrowser).text
    }

    /// A stranger guesses until the account is locked.
    private func lock(_ school: School) async throws {
        for _ in 0...AttemptPause.forgivenMax {
            var outcome = try await signIn(school, "wr0ng guess")
            if let wait = outcome.wait {
                school.fixed.advance(by: TimeInterval(wait))
                outcome = try await signIn(school, "wr0ng guess")
            }
            #expect(outcome.isRefused)
        }
    }

    @Test("strangers' guesses do not stop who has signed in in that browser before", arguments: TestDatabase.available)
    func notStopped(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let cookie = try await enter(school)
            try await lock(school)
            for wrong in [nil, "", cookie + "A", String(cookie.dropLast())] {
                let outcome = try await signIn(school, in: wrong)
                #expect(outcome.wait != nil)
            }
            let outcome = try await signIn(school, in: cookie)
            #expect(outcome.person?.id == nadia.id)
            // The account stays locked for the stranger.
            let state = try await school.state(of: nadia)
            let stranger = try await signIn(school)
            #expect(state == .locked)
            #expect(stranger.wait != nil)
        }
    }

    @Test(
        "a known browser has five wrong passwords, which count for nobody else; then it is a stranger's",
        arguments: TestDatabase.available)
    func ownCount(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            var cookie = try await enter(school)
            for _ in 0..<4 {
                let outcome = try await signIn(school, "wr0ng guess", in: cookie)
                #expect(outcome.isRefused)
            }
            cookie = try await enter(school, in: cookie)  // the count begins anew
            for _ in 0..<5 {
                let outcome = try await signIn(school, "wr0ng guess", in: cookie)
                #expect(outcome.isRefused)
            }
            let (known, credential) = try await database.read {
                (try KnownBrowser.count(of: nadia.id, in: $0), try Credential.find(for: nadia.id, in: $0))
            }
            #expect(known == 0)
            #expect(credential?.failures == 0)
            try await lock(school)
            let outcome = try await signIn(school, in: cookie)
            #expect(outcome.wait != nil)
        }
    }

    @Test("of a hundred guesses at once in a known browser ten are answered at most", arguments: TestDatabase.available)
    func concurrent(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let cookie = try await enter(school)
            let signIn = school.passwordSignIn
            let outcomes = await concurrently(0..<100) { index in
                try? await signIn.signIn(
                    userName: nadia.userName, password: "wr0ng guess \(index)", knownBrowser: cookie, origin: .system)
            }
            // Five attempts as a known browser, and five more as any other browser.
            #expect(outcomes.filter { $0?.isRefused == true }.count == 10)
            #expect(outcomes.filter { $0?.wait != nil }.count == 90)
        }
    }

    @Test("every sign-in gives the browser a new secret, for all its accounts", arguments: TestDatabase.available)
    func rotates(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let omar = try await school.insertPerson("omar", .student)
            try await school.setPassword(of: omar, to: "Corr3ct horse")
            let first = try await enter(school)
            let second = try await enter(school, as: "omar", in: first)
            #expect(first != second)
            let now = school.fixed.now
            func knows(_ cookie: String, _ person: Person) async throws -> Bool {
                try await database.read { try KnownBrowser.isKnown(cookie, to: person.id, at: now, in: $0) }
            }
            for (cookie, person, expected) in [
                (first, nadia, false), (first, omar, false), (second, nadia, true), (second, omar, true),
            ] {
                let found = try await knows(cookie, person)
                #expect(found == expected)
            }
            // A cookie that somebody planted knows nobody afterwards.
            let planted = try await enter(school, in: "planted")
            let (thief, owner) = (try await knows("planted", nadia), try await knows(planted, nadia))
            #expect(!thief)
            #expect(owner)
            let hashes = try await database.read {
                try $0.all("SELECT DISTINCT browser_hash FROM known_browser") { try $0[0] as SecretHash }
            }
            #expect(Set(hashes) == [SecretHash(of: second), SecretHash(of: planted)])
        }
    }

    @Test("a new password, a temporary one and deactivation end it", arguments: TestDatabase.available)
    func revoked(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            func count() async throws -> Int {
                try await database.read { try KnownBrowser.count(of: nadia.id, in: $0) }
            }
            let (phone, desk) = (try await enter(school), try await enter(school))
            let two = try await count()
            let changed = try await school.passwordSignIn.change(
                in: try await school.signIn(nadia), to: "Another h0rse", knownBrowser: desk, origin: .system)
            let one = try await count()
            #expect(two == 2)
            #expect(one == 1)  // the one in which it was chosen
            let cookie = try #require(changed.entry?.knownBrowser).text
            #expect(![phone, desk].contains(cookie))

            let password = try await school.passwordSignIn.issueTemporaryPassword(
                for: nadia, by: .operator, origin: .commandLine)
            let outcome = try await signIn(school, password, in: cookie)
            let none = try await count()
            guard case .mustChangePassword(_, let entry) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(entry.knownBrowser == nil)
            #expect(none == 0)

            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            _ = try await enter(school)
            try await school.deactivate(nadia)
            let gone = try await count()
            #expect(gone == 0)
        }
    }

    @Test(
        "a browser is known for 180 days after the last sign-in, and then cleared away",
        arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let cookie = try await enter(school)
            func state() async throws -> (known: Bool, expired: Bool) {
                let now = school.fixed.now
                return try await database.read {
                    (
                        try KnownBrowser.isKnown(cookie, to: nadia.id, at: now, in: $0),
                        try KnownBrowser.hasExpired(at: now, in: $0)
                    )
                }
            }
            school.fixed.advance(by: 180 * 86_400 - 1)
            let lasting = try await state()
            #expect(lasting == (true, false))
            school.fixed.advance(by: 1)
            let over = try await state()
            #expect(over == (false, true))
            let now = school.fixed.now
            try await database.write { try KnownBrowser.deleteExpired(at: now, in: $0) }
            let left = try await database.read { try KnownBrowser.count(of: nadia.id, in: $0) }
            #expect(left == 0)
        }
    }

    @Test(
        "a classroom computer knows the last forty, an account the last fifty browsers",
        arguments: TestDatabase.available)
    func bounded(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let (school, nadia) = try await school(database)
            let now = school.fixed.now
            let surroundings = school.fixed.surroundings
            let pupils = try await database.write { transaction in
                try (0..<45).map { index in
                    try Person.insert(
                        in: school.organization.id, givenName: "p", familyName: "p",
                        userName: "p\(index)@maple.example", at: now, in: transaction)
                }
            }
            let (known, browsers) = try await database.write { transaction in
                var cookie: String?
                for (index, pupil) in pupils.enumerated() {
                    cookie = try KnownBrowser.remember(
                        pupil.id, replacing: cookie, at: now + Double(index), from: surroundings, in: transaction
                    ).text
                }
                var cookies: [String] = []
                for index in 0..<60 {
                    // All are made in the same second; the newest one must not be removed.
                    let secret = try KnownBrowser.remember(
                        nadia.id, replacing: nil, at: now, from: surroundings, in: transaction)
                    cookies.append(secret.text)
                    #expect(try KnownBrowser.isKnown(secret.text, to: nadia.id, at: now, in: transaction), "\(index)")
                }
                return (
                    try pupils.map { try KnownBrowser.isKnown(cookie, to: $0.id, at: now, in: transaction) },
                    try KnownBrowser.count(of: nadia.id, in: transaction)
                )
            }
            #expect(known == Array(repeating: false, count: 5) + Array(repeating: true, count: 40))
            #expect(browsers == 50)
        }
    }
}
