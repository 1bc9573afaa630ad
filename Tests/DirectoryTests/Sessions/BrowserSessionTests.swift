import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@Suite struct BrowserSessionTests {
    private func token(_ school: School, of person: Person, userAgent: String? = nil) async throws -> String {
        let (now, surroundings) = (school.fixed.now, school.fixed.surroundings)
        return try await school.database.write { transaction in
            try transaction.execute("UPDATE person SET state = 'active' WHERE id = $1", [person.id])
            return try BrowserSession.insert(
                for: person.id, userAgent: userAgent, at: now, from: surroundings, in: transaction
            ).text
        }
    }

    private func find(_ school: School, _ token: String) async throws -> BrowserSession? {
        let now = school.fixed.now
        return try await school.database.read { try BrowserSession.find(token: token, at: now, in: $0) }
    }

    @Test("a session is found by its token alone, for twelve hours", arguments: TestDatabase.available)
    func lifetime(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let token = try await token(school, of: nadia)
            let session = try await find(school, token)
            #expect(session?.person.id == nadia.id)
            #expect(session?.authenticatedAt == FixedSurroundings.start)
            for wrong in ["", String(token.dropLast()), token.uppercased(), token + "A"] {
                let found = try await find(school, wrong)
                #expect(found == nil)
            }
            // Somebody uses it all the time.
            try await database.write { try $0.execute("UPDATE browser_session SET idle_until = expires_at") }
            school.fixed.advance(by: 12 * 3_600 - 1)
            let lasting = try await find(school, token)
            #expect(lasting != nil)
            school.fixed.advance(by: 1)
            let over = try await find(school, token)
            #expect(over == nil)
        }
    }

    @Test(
        "a session that nobody uses is over after two hours; one that is used goes on",
        arguments: TestDatabase.available)
    func idle(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let (used, left) = (try await token(school, of: nadia), try await token(school, of: nadia))
            let uses = SessionUses()
            func idleUntil() async throws -> Date? { try await find(school, used)?.idleUntil }
            let start = school.fixed.now
            // A use that hardly changes the stored time is not written.
            school.fixed.advance(by: 299)
            uses.note(try #require(try await find(school, used)), at: school.fixed.now)
            try await uses.flush(into: database)
            let unchanged = try await idleUntil()
            #expect(unchanged == start.addingTimeInterval(7_200))
            school.fixed.advance(by: 6_900)
            uses.note(try #require(try await find(school, used)), at: school.fixed.now)
            try await uses.flush(into: database)
            school.fixed.advance(by: 1)
            let (living, over) = (try await find(school, used), try await find(school, left))
            #expect(living != nil)
            #expect(over == nil)
            let now = school.fixed.now
            let listed = try await database.read { try BrowserSession.list(of: nadia.id, at: now, in: $0) }
            #expect(listed.count == 1)
        }
    }

    @Test(
        "a list of sessions tells when each was used last, as far as that is known (pages 3.3)",
        arguments: TestDatabase.available)
    func lastUse(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let token = try await token(school, of: nadia)
            let start = school.fixed.now
            func lastUse(_ uses: SessionUses) async throws -> Date? {
                let now = school.fixed.now
                let listed = try await database.read { try BrowserSession.list(of: nadia.id, at: now, in: $0) }
                return uses.lastUse(of: try #require(listed.first), at: now)
            }
            let uses = SessionUses()
            let atSignIn = try await lastUse(uses)
            #expect(atSignIn == nil)
            // Nor under a shorter time, by which the sign-in would seem to be a later use.
            school.fixed.advance(by: 6_000)
            let underShorter = try await lastUse(SessionUses(idle: 1_800))
            #expect(underShorter == nil)
            school.fixed.advance(by: -6_000)
            school.fixed.advance(by: 3_600)
            uses.note(try #require(try await find(school, token)), at: school.fixed.now)
            try await uses.flush(into: database)
            school.fixed.advance(by: 1_200)
            let afterUse = try await lastUse(uses)
            #expect(afterUse == start.addingTimeInterval(3_600))
            // With another limit the stored time would mean a use before the sign-in or in the future: ignored.
            for idle: TimeInterval in [600, 12 * 3_600] {
                let unknown = try await lastUse(SessionUses(idle: idle))
                #expect(unknown == nil, "\(idle)")
            }
        }
    }

    @Test(
        "an organization can have its people signed out earlier than the server does, and never later",
        arguments: TestDatabase.available)
    func houseRules(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let start = school.fixed.now
            func session(_ hours: Int?, _ minutes: Int?) async throws -> (token: String, session: BrowserSession) {
                var rules = HouseRules()
                rules.sessionHours = hours
                rules.idleMinutes = minutes
                let ruled = rules
                try await database.write { try school.organization.put(ruled, in: $0) }
                let token = try await token(school, of: nadia)
                return (token, try #require(try await find(school, token)))
            }
            let plain = try await session(nil, nil)
            #expect(plain.session.expiresAt == start.addingTimeInterval(BrowserSession.lifetime))
            #expect(plain.session.idleUntil == start.addingTimeInterval(BrowserSession.idle))
            let long = try await session(12, 720)
            #expect(long.session.idleUntil == start.addingTimeInterval(BrowserSession.idle))
            let short = try await session(1, 10)
            #expect(short.session.expiresAt == start.addingTimeInterval(3_600))
            #expect(short.session.idleUntil == start.addingTimeInterval(600))

            // Each use gives another ten minutes, up to the hour; other browsers go on by the rules of their sign-in.
            let uses = SessionUses()
            for minute in stride(from: 9, to: 60, by: 9) {
                let time = start.addingTimeInterval(Double(minute) * 60)
                school.fixed.advance(by: time.timeIntervalSince(school.fixed.now))
                uses.note(try #require(try await find(school, short.token)), at: school.fixed.now)
                uses.note(try #require(try await find(school, long.token)), at: school.fixed.now)
                try await uses.flush(into: database)
            }
            let now = school.fixed.now
            let listed = try await database.read { try BrowserSession.list(of: nadia.id, at: now, in: $0) }
            #expect(listed.map { uses.lastUse(of: $0, at: now) }.contains(now))
            #expect(try await find(school, short.token)?.idleUntil == now.addingTimeInterval(600))
            #expect(try await find(school, long.token)?.idleUntil == now.addingTimeInterval(BrowserSession.idle))
            school.fixed.advance(by: start.addingTimeInterval(3_600).timeIntervalSince(school.fixed.now))
            #expect(try await find(school, short.token) == nil)
            #expect(try await find(school, long.token) != nil)

            // Two of whom one was left alone.
            let left = try await session(nil, 10)
            school.fixed.advance(by: 601)
            #expect(try await find(school, left.token) == nil)
        }
    }

    @Test("the database holds the hash of the token, not the token", arguments: TestDatabase.available)
    func hashed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let token = try await token(school, of: try await school.insertPerson("nadia", .instructor))
            let stored = try await database.read {
                try $0.all("SELECT token_hash FROM browser_session") { try $0[0] as SecretHash }
            }
            #expect(token.utf8.count == 43)
            #expect(stored == [SecretHash(of: token)])  // SHA-256: see SecretTests
        }
    }

    @Test(
        "who is deactivated has no session; who is locked keeps it", arguments: TestDatabase.available,
        [Person.State.locked, .deactivated, .new])
    func states(_ kind: TestDatabase, _ state: Person.State) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let token = try await token(school, of: nadia)
            try await database.write {
                try $0.execute("UPDATE person SET state = $1 WHERE id = $2", [state, nadia.id])
            }
            let found = try await find(school, token)
            #expect((found != nil) == (state == .locked))
        }
    }

    @Test("deactivation and a password change end the sessions of that person only", arguments: TestDatabase.available)
    func ended(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (nadia, omar) = (
                try await school.insertPerson("nadia", .instructor), try await school.insertPerson("omar", .instructor)
            )
            let stays = try await school.insertPerson("stays", .instructor)
            let (first, second, third) = (
                try await token(school, of: nadia), try await token(school, of: omar),
                try await token(school, of: stays)
            )
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            try await school.deactivate(omar)
            let now = school.fixed.now
            try await database.write { try omar.reactivate(at: now, in: $0) }
            let (ofNadia, ofOmar, ofStays) = (
                try await find(school, first), try await find(school, second), try await find(school, third)
            )
            #expect(ofNadia == nil)
            #expect(ofOmar == nil)
            #expect(ofStays?.person.id == stays.id)
        }
    }

    @Test("a new session ends the one that the browser had, and no other", arguments: TestDatabase.available)
    func replaces(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let (phone, desk) = (try await token(school, of: nadia), try await token(school, of: nadia))
            let (now, surroundings) = (school.fixed.now, school.fixed.surroundings)
            try await database.write {
                _ = try BrowserSession.insert(
                    for: nadia.id, userAgent: nil, replacing: desk, at: now, from: surroundings, in: $0)
            }
            let (ofPhone, ofDesk) = (try await find(school, phone), try await find(school, desk))
            #expect(ofPhone != nil)
            #expect(ofDesk == nil)
        }
    }

    @Test("who signs out is noted, also after two idle hours, and once", arguments: TestDatabase.available)
    func signOutIsNoted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let token = try await token(school, of: nadia)
            school.fixed.advance(by: BrowserSession.idle)
            let now = school.fixed.now
            for token in [token, token, "unknown"] {
                try await database.write {
                    try BrowserSession.signOut(token: token, at: now, from: .system, in: $0)
                }
            }
            let records = try await school.auditRecords()
            #expect(records.map(\.subject) == ["person:\(nadia.id.rawValue)"])
            #expect(records.first?.actor == "person:\(nadia.id.rawValue)")
        }
    }

    @Test("signing out ends one session, and a later sign-in sweeps expired ones", arguments: TestDatabase.available)
    func signOut(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            let (phone, desk) = (
                try await token(school, of: nadia, userAgent: String(repeating: "x", count: 9_999)),
                try await token(school, of: nadia)
            )
            let now = school.fixed.now
            let ended = try await database.write { try BrowserSession.end(token: phone, at: now, in: $0) }
            #expect(ended == nadia.id)
            let again = try await database.write { try BrowserSession.end(token: phone, at: now, in: $0) }
            #expect(again == nil)
            let (ofPhone, ofDesk) = (try await find(school, phone), try await find(school, desk))
            #expect(ofPhone == nil)
            #expect(ofDesk != nil)
            school.fixed.advance(by: BrowserSession.lifetime)
            _ = try await token(school, of: nadia)
            let count = try await database.read {
                try $0.first("SELECT COUNT(*) FROM browser_session") { try $0[0] as Int }
            }
            #expect(count == 1)
        }
    }
}
