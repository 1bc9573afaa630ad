import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct ConsentServiceTests {
    @Test("allowing records the consent and sends a code with the state", arguments: TestDatabase.available)
    func allow(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let outcome = try await server.allow(try await server.park())
            #expect(
                outcome.location?.wholeMatch(
                    of: #/https://quizzler\.example/callback\?code=[A-Za-z0-9_-]{43}&state=n3kP/#) != nil)
            let consent = try await server.livingConsent
            #expect(consent?.scopes == ScopeSet([.usersRead, .classesRead]))
            #expect(consent?.grantedBy == server.administrator.id)
            let last = try await server.school.auditRecords().last
            #expect(last?.action == "consent.granted")
            #expect(last?.detail == "edu.classes.read edu.users.read")
        }
    }

    @Test("who may not decide records nothing", arguments: TestDatabase.available)
    func refused(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let teacher = try await server.school.insertPerson("teacher", .instructor, .manager, .peopleManager)
            let parked = try await server.park()
            let before = try await server.school.auditRecords().count
            let byTeacher = try await server.allow(parked, by: teacher)
            #expect(byTeacher.isRefused)
            try await server.change(.unlist(server.registered.app.id))
            let unlisted = try await server.allow(parked)
            #expect(unlisted.isRefused)
            let (consent, after) = (try await server.livingConsent, try await server.school.auditRecords())
            #expect(consent == nil)
            #expect(after.count == before + 1)  // the change of the list
        }
    }

    @Test("allowing twice gives a new code and voids the first", arguments: TestDatabase.available)
    func twice(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let parked = try await server.park()
            let first = try #require(try await server.allow(parked).code)
            let second = try #require(try await server.allow(parked).code)
            #expect(first != second)
            let ofFirst = await refusal { _ = try await server.redeem(first) }
            #expect(ofFirst == .invalidGrant)
            _ = try await server.redeem(second)
        }
    }

    @Test("once its code was redeemed, a request is over", arguments: TestDatabase.available)
    func afterRedemption(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let parked = try await server.park()
            let answer = try await server.redeem(try #require(try await server.allow(parked).code))
            let again = try await server.allow(parked)
            let denied = try await server.consents.deny(parked, by: server.administrator, origin: .system)
            #expect(again.isAlreadyAnswered)
            #expect(denied.isAlreadyAnswered)
            _ = try await server.access(with: answer.accessToken)
        }
    }

    @Test(
        "whoever was signed out while the page was open decides nothing", arguments: TestDatabase.available)
    func signedOutMeanwhile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let administrator = server.administrator
            let (session, parked) = (try await server.school.signIn(administrator), try await server.park())
            try await database.write { try Person.endSignIns(of: "$1", [administrator.id], in: $0) }
            let outcome = try await server.consents.allow(parked, by: session, origin: .system)
            #expect(outcome.isSignedOut)
            let consent = try await server.livingConsent
            #expect(consent == nil)
            // After signing in again the person may allow it.
            let again = try await server.allow(parked)
            #expect(again.code != nil)
        }
    }

    @Test("denying sends the word for it and the state, and needs no role", arguments: TestDatabase.available)
    func deny(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let pupil = try await server.school.insertPerson("pupil", .student)
            let outcome = try await server.consents.deny(try await server.park(), by: pupil, origin: .system)
            #expect(outcome.location == "https://quizzler.example/callback?error=access_denied&state=n3kP")
            let records = try await server.school.auditRecords()
            #expect(records.last?.action == "consent.denied")
            let signedOut = try await server.consents.deny(
                try await server.park(["state": nil]), by: nil, origin: .system)
            #expect(signedOut.location == "https://quizzler.example/callback?error=access_denied")
            let sibling = ConsentService(
                database: database, surroundings: server.fixed.surroundings, cancelledError: "user_cancelled_authorize")
            let other = try await sibling.deny(try await server.park(), by: nil, origin: .system)
            #expect(other.location?.contains("error=user_cancelled_authorize") == true)
            let consent = try await server.livingConsent
            #expect(consent == nil)
        }
    }

    @Test("an answer stands: denied cannot become allowed, nor allowed denied", arguments: TestDatabase.available)
    func stands(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let parked = try await server.park()
            _ = try await server.consents.deny(parked, by: server.administrator, origin: .system)
            let allowed = try await server.allow(parked)
            #expect(allowed.isAlreadyAnswered)
            let consent = try await server.livingConsent
            #expect(consent == nil)

            let other = try await server.park()
            _ = try await server.allow(other)
            let denied = try await server.consents.deny(other, by: server.administrator, origin: .system)
            #expect(denied.isAlreadyAnswered)
        }
    }

    @Test("allowed and denied at once, a request has one answer", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let session = try await server.school.signIn(server.administrator)
            for _ in 0..<5 {
                let parked = try await server.park()
                async let allowing = server.consents.allow(parked, by: session, origin: .system)
                async let denying = server.consents.deny(parked, by: server.administrator, origin: .system)
                let outcomes = [try await allowing, try await denying]
                #expect(outcomes.filter(\.isAlreadyAnswered).count == 1)
                #expect(outcomes.filter { $0.location != nil }.count == 1)
            }
        }
    }

    @Test(
        "a second consent replaces the scopes, and old tokens keep what both allow", arguments: TestDatabase.available)
    func second(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let both = try await server.exchange()
            let manager = try await server.school.insertPerson("manager", .siteManager)
            let code = try #require(
                try await server.allow(try await server.park(["scope": "edu.classes.read"]), by: manager).code)
            let narrow = try await server.redeem(code)
            let (ofOld, ofNew) = (
                try await server.access(with: both.accessToken), try await server.access(with: narrow.accessToken)
            )
            #expect(ofOld.scopes == ScopeSet([.classesRead]))
            #expect(ofNew.scopes == ScopeSet([.classesRead]))
            let consent = try await server.livingConsent
            #expect(consent?.grantedBy == manager.id)

            // A wider consent follows. The client that asked for less still has less.
            _ = try await server.exchange()
            let (wide, stillNarrow) = (
                try await server.access(with: both.accessToken), try await server.access(with: narrow.accessToken)
            )
            #expect(wide.scopes == ScopeSet([.usersRead, .classesRead]))
            #expect(stillNarrow.scopes == ScopeSet([.classesRead]))
            let living = try await database.read { try Consent.list(livingOf: server.registered.app.id, in: $0) }
            #expect(living.count == 1)
        }
    }
}

extension ConsentService.Outcome {
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isSignedOut: Bool { if case .signedOut = self { true } else { false } }
    var isAlreadyAnswered: Bool { if case .alreadyAnswered = self { true } else { false } }
}
