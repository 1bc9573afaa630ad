import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct FactorSignInTests {
    private static let password = "Corr3ct horse"
    private static let visit = FactorSignIn.Visit(
        userAgent: nil, sessionToken: nil, knownBrowser: nil, origin: .request("r1", address: "192.0.2.1"))

    /// A school with a teacher who is signed in.
    private static func with(
        _ kind: TestDatabase, _ body: (School, Person, BrowserSession) async throws -> Void
    ) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: password)
            try await body(school, nadia, try await school.signIn(nadia))
        }
    }

    private static func signIn(_ person: Person, in school: School, knownBrowser: String? = nil) async throws
        -> PasswordSignIn.Outcome
    {
        try await school.passwordSignIn.signIn(
            userName: person.userName, password: password, knownBrowser: knownBrowser,
            origin: .request("r1", address: "192.0.2.1"))
    }

    private static func pending(_ person: Person, in school: School) async throws -> String {
        guard case .needsFactor(let token) = try await signIn(person, in: school) else { throw NoFactorAsked() }
        return token.text
    }

    private struct NoFactorAsked: Error {}

    private static func session(_ entry: BrowserEntry, in school: School) async throws -> BrowserSession? {
        let now = school.fixed.now
        return try await school.database.read { try BrowserSession.find(token: entry.session.text, at: now, in: $0) }
    }

    @Test(
        "who has one-time codes is signed in by password and code, and not by the password",
        arguments: TestDatabase.available)
    func oneTimeCode(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let (secret, outcome) = try await school.addOneTimeCodes(in: session)
            guard case .added(let recovery) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(recovery.count == 10 && Set(recovery).count == 10)
            #expect(recovery.allSatisfy { $0.count == 19 })
            school.fixed.advance(by: 60)
            let token = try await Self.pending(nadia, in: school)
            // What the browser has now is no session.
            let now = school.fixed.now
            #expect(try await school.database.read { try BrowserSession.find(token: token, at: now, in: $0) } == nil)
            let step = OneTimeCode.step(at: school.fixed.now)
            let wrong = try await school.factorSignIn.finish(token, code: "000000", Self.visit)
            guard case .wrongCode = wrong else {
                Issue.record("\(wrong)")
                return
            }
            let code = OneTimeCode.code(of: secret, step: step)
            let spaced = "\(code.prefix(3)) \(code.suffix(3))"
            guard
                case .signedIn(let person, let entry, let codes) = try await school.factorSignIn.finish(
                    token, code: spaced, Self.visit)
            else {
                Issue.record("the code was refused")
                return
            }
            #expect(person.id == nadia.id && codes.isEmpty)
            let begun = try #require(try await Self.session(entry, in: school))
            #expect(begun.methods == [.password, .oneTimeCode] && begun.methods.isMultiFactor)
            #expect(try await school.database.read { try begun.isFresh(at: now, in: $0) })
            // The pending sign-in is spent.
            guard case .over = try await school.factorSignIn.finish(token, code: code, Self.visit) else {
                Issue.record("it was taken twice")
                return
            }
        }
    }

    @Test("a recovery code stands in for the rest, once", arguments: TestDatabase.available)
    func recovery(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let (_, outcome) = try await school.addOneTimeCodes(in: session)
            guard case .added(let recovery) = outcome else { return }
            for (attempt, works) in [
                (recovery[0], true), (recovery[0].uppercased(), false), (recovery[1].uppercased(), true),
            ] {
                let token = try await Self.pending(nadia, in: school)
                let outcome = try await school.factorSignIn.finish(token, code: attempt, Self.visit)
                if case .signedIn = outcome { #expect(works) } else { #expect(!works) }
            }
            let left = try await school.database.read { try Factors.find(of: nadia.id, in: $0).recoveryCodes }
            #expect(left == 8)
            let anew = try await school.factorChanges.renewRecoveryCodes(in: session, origin: .system)
            #expect(anew?.count == 10)
            guard
                case .wrongCode = try await school.factorSignIn.finish(
                    try await Self.pending(nadia, in: school), code: recovery[2], Self.visit)
            else {
                Issue.record("a code from before was taken")
                return
            }
        }
    }

    @Test(
        "wrong codes count as wrong passwords do, and keep nobody out of a known browser",
        arguments: TestDatabase.available)
    func throttling(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let now = school.fixed.now
            let known = try await school.database.write {
                try KnownBrowser.remember(
                    nadia.id, replacing: nil, at: now, from: school.fixed.surroundings, in: $0)
            }
            let (secret, _) = try await school.addOneTimeCodes(in: session)
            let token = try await Self.pending(nadia, in: school)
            for _ in 0..<5 { _ = try await school.factorSignIn.finish(token, code: "000000", Self.visit) }
            // Five wrong ones: this sign-in is over, and strangers have to wait before the next.
            guard case .over = try await school.factorSignIn.finish(token, code: "000000", Self.visit) else {
                Issue.record("there was a sixth attempt")
                return
            }
            guard case .mustWait(let seconds) = try await Self.signIn(nadia, in: school) else {
                Issue.record("the right password was looked at")
                return
            }
            #expect(seconds == 60)
            guard case .needsFactor(let own) = try await Self.signIn(nadia, in: school, knownBrowser: known.text) else {
                Issue.record("the person was locked out")
                return
            }
            school.fixed.advance(by: 30)
            let code = OneTimeCode.code(of: secret, step: OneTimeCode.step(at: school.fixed.now))
            let visit = FactorSignIn.Visit(
                userAgent: nil, sessionToken: nil, knownBrowser: known.text, origin: .system)
            guard case .signedIn = try await school.factorSignIn.finish(own.text, code: code, visit) else {
                Issue.record("the person was locked out")
                return
            }
            // The right password alone does not reset the count.
            school.fixed.advance(by: 60)
            let again = try await Self.pending(nadia, in: school)
            _ = try await school.factorSignIn.finish(again, code: "000000", Self.visit)
            guard case .mustWait(120) = try await Self.signIn(nadia, in: school) else {
                Issue.record("the count was reset")
                return
            }
        }
    }

    @Test("a passkey signs in by itself, if it made sure of the person", arguments: TestDatabase.available)
    func passkey(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            var (authenticator, outcome) = try await school.addPasskey(in: session)
            guard case .added = outcome else {
                Issue.record("\(outcome)")
                return
            }
            authenticator.count = 1
            let challenge = school.challenge()
            guard
                case .signedIn(let person, let entry, _) = try await school.factorSignIn.signIn(
                    by: try authenticator.assert(challenge), holder: "browser", Self.visit)
            else {
                Issue.record("it was refused")
                return
            }
            #expect(person.id == nadia.id)
            let begun = try #require(try await Self.session(entry, in: school))
            #expect(begun.methods == [.passkey, .userVerified] && begun.methods.isMultiFactor)

            func expect(
                _ refusal: PasskeyRefusal, holder: String = "browser", challenge: String? = nil, count: UInt32,
                _ change: (inout SoftAuthenticator.Words) -> Void = { _ in }
            ) async throws {
                authenticator.count = count
                var words = SoftAuthenticator.Words()
                change(&words)
                let outcome = try await school.factorSignIn.signIn(
                    by: try authenticator.assert(challenge ?? school.challenge(), words), holder: holder, Self.visit)
                guard case .refused(refusal) = outcome else {
                    Issue.record("\(outcome) instead of \(refusal)")
                    return
                }
            }
            try await expect(.usedChallenge, challenge: challenge, count: 2)
            try await expect(.wrongChallenge, holder: "another browser", count: 2)
            try await expect(.personNotVerified, count: 2) { $0.flags = 0x01 }
            // Nobody has said yet who it is, so the authenticator has to.
            let handle = authenticator.userHandle
            for wrong in [nil, [], [2]] as [[UInt8]?] {
                authenticator.userHandle = wrong
                try await expect(.unknownCredential, count: 2)
            }
            authenticator.userHandle = handle
            try await expect(.counterWentBack, count: 1)
            try await expect(.counterWentBack, count: 0)
            let trail = try await school.auditRecords().suffix(2)
            #expect(trail.allSatisfy { $0.outcome == "refused" && $0.detail.contains("it may have been copied") })
            // A copy that was noticed does not stop the right one.
            authenticator.count = 3
            guard
                case .signedIn = try await school.factorSignIn.signIn(
                    by: try authenticator.assert(school.challenge()), holder: "browser", Self.visit)
            else {
                Issue.record("the right one was refused")
                return
            }
            let late = school.challenge()
            school.fixed.advance(by: 300)
            try await expect(.expiredChallenge, challenge: late, count: 4)
            try await school.deactivate(nadia)
            try await expect(.unknownCredential, count: 5)
        }
    }

    @Test(
        "after the password a passkey needs no more than a touch, and has to be the person's",
        arguments: TestDatabase.available)
    func passkeyAfterPassword(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let (own, _) = try await school.addPasskey(in: session)
            let ben = try await school.insertPerson("ben", .instructor)
            let (foreign, _) = try await school.addPasskey(in: try await school.signIn(ben))
            var words = SoftAuthenticator.Words()
            words.flags = 0x01
            let token = try await Self.pending(nadia, in: school)
            guard
                case .refused(.unknownCredential) = try await school.factorSignIn.finish(
                    token, passkey: try foreign.assert(school.challenge()), holder: "browser", Self.visit)
            else {
                Issue.record("another's passkey was taken")
                return
            }
            guard
                case .signedIn(_, let entry, _) = try await school.factorSignIn.finish(
                    token, passkey: try own.assert(school.challenge(), words), holder: "browser", Self.visit)
            else {
                Issue.record("it was refused")
                return
            }
            #expect(try await Self.session(entry, in: school)?.methods == [.password, .passkey])
        }
    }

    @Test(
        "a credential id is registered once, for whomever, and a person has ten at most",
        arguments: TestDatabase.available)
    func registeredOnce(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let (authenticator, _) = try await school.addPasskey(in: session)
            let ben = try await school.signIn(try await school.insertPerson("ben", .instructor))
            for session in [session, ben] {
                let (_, again) = try await school.addPasskey(authenticator, in: session)
                #expect(again == .refused(.alreadyRegistered))
            }
            for number in 2...Passkey.perPersonMax {
                let (_, outcome) = try await school.addPasskey(in: session)
                #expect(outcome == .added(recoveryCodes: []), "number \(number)")
            }
            let (_, outcome) = try await school.addPasskey(in: session)
            #expect(outcome == .tooMany)
            let names = try await school.database.read { try Passkey.list(of: nadia.id, in: $0).map(\.name) }
            #expect(names == [String](repeating: "Phone", count: 10))
        }
    }

    @Test("removing one signs the person's other browsers out, and not this one", arguments: TestDatabase.available)
    func removal(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            let other = try await school.signIn(nadia)
            _ = try await school.addPasskey(in: session)
            let id = try #require(try await school.database.read { try Passkey.list(of: nadia.id, in: $0).first?.id })
            #expect(
                try await !school.factorChanges.remove(
                    .oneTimeCodes, in: session, origin: .system, then: { _, _ in }))
            #expect(
                try await school.factorChanges.remove(.passkey(id), in: session, origin: .system, then: { _, _ in }))
            let now = school.fixed.now
            let (own, others, left) = try await school.database.read { transaction in
                (
                    try BrowserSession.reload(session, at: now, in: transaction),
                    try BrowserSession.reload(other, at: now, in: transaction),
                    try Factors.find(of: nadia.id, in: transaction)
                )
            }
            #expect(own != nil && others == nil)
            #expect(left == Factors(passkeys: 0, hasOneTimeCodes: false, recoveryCodes: 0))
            guard case .signedIn = try await Self.signIn(nadia, in: school) else {
                Issue.record("a second factor was asked for")
                return
            }
        }
    }

    @Test(
        "what has been shown is fresh for a quarter of an hour, and then asked for again",
        arguments: TestDatabase.available)
    func freshness(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            func isFresh() async throws -> Bool {
                let now = school.fixed.now
                return try await school.database.read { transaction in
                    try BrowserSession.reload(session, at: now, in: transaction)?.isFresh(at: now, in: transaction)
                        ?? false
                }
            }
            let password = PasswordConfirmation(
                database: school.database, hasher: school.passwordHasher, surroundings: school.fixed.surroundings)
            let factors = FactorConfirmation(checker: school.factorChecker)
            #expect(try await isFresh())
            school.fixed.advance(by: 900)
            #expect(try await !isFresh())
            #expect(try await password.confirm(Self.password, in: session) == .confirmed)
            #expect(try await isFresh())
            // Who has a second factor shows that.
            let (secret, _) = try await school.addOneTimeCodes(in: session)
            #expect(try await isFresh())
            school.fixed.advance(by: 900)
            #expect(try await password.confirm(Self.password, in: session) == .confirmed)
            #expect(try await !isFresh())
            func confirm(_ code: String) async throws -> FactorConfirmation.Outcome {
                try await factors.confirm(code, in: session, knownBrowser: nil, origin: .system)
            }
            #expect(try await confirm("000000") == .wrongCode)
            let code = OneTimeCode.code(of: secret, step: OneTimeCode.step(at: school.fixed.now))
            #expect(try await confirm(code) == .confirmed)
            #expect(try await isFresh())
            for _ in 0..<5 { #expect(try await confirm("000000") == .wrongCode) }
            #expect(try await confirm("000000") == .mustWait(minutes: 60))
            #expect(try await password.confirm(Self.password, in: session) == .mustWait(minutes: 60))

            let (authenticator, _) = try await school.addPasskey(in: session)
            school.fixed.advance(by: 900)
            #expect(
                try await factors.confirm(
                    by: try authenticator.assert(school.challenge()), holder: "browser", in: session, origin: .system)
                    == .confirmed)
            #expect(try await isFresh())
        }
    }

    @Test(
        "a rule asks those it names, after its days, and lets nobody go on without", arguments: TestDatabase.available)
    func rule(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, _ in
            let head = try await school.insertPerson("head", .administrator)
            try await school.setPassword(of: head, to: Self.password)
            let (organization, start) = (school.organization.id, school.fixed.now)
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator], graceDays: 7, for: organization, at: start, in: transaction)
            }
            func due(_ person: Person) async throws -> Date? {
                try await school.database.read { try FactorRule.dueDate(for: person, at: school.fixed.now, in: $0) }
            }
            #expect(try await due(nadia) == nil)
            #expect(try await due(head) == start.addingTimeInterval(7 * 86_400))
            guard case .signedIn = try await Self.signIn(head, in: school) else {
                Issue.record("the days were not waited for")
                return
            }
            school.fixed.advance(by: 7 * 86_400)
            let token = try await Self.pending(head, in: school)
            #expect(try await school.factorSignIn.pending(token)?.mustSetUp == true)
            // Nothing that the person could type gets them further, but setting one up.
            for code in ["", "000000", "abcd-efgh-jkmn-pqrs"] {
                guard case .wrongCode = try await school.factorSignIn.finish(token, code: code, Self.visit) else {
                    Issue.record("“\(code)” was taken")
                    return
                }
            }
            let key = try school.factorChanges.newOneTimeCodeKey(for: head.id)
            let code = OneTimeCode.code(of: key.secret, step: OneTimeCode.step(at: school.fixed.now))
            let foreign = try school.factorChanges.newOneTimeCodeKey(for: nadia.id)
            guard
                case .wrongCode = try await school.factorSignIn.finish(
                    token, settingUp: .oneTimeCodes(code: code, sealed: foreign.sealed), Self.visit, then: { _, _ in })
            else {
                Issue.record("another's secret was taken")
                return
            }
            guard
                case .signedIn(_, let entry, let recovery) = try await school.factorSignIn.finish(
                    token, settingUp: .oneTimeCodes(code: code, sealed: key.sealed), Self.visit, then: { _, _ in })
            else {
                Issue.record("it could not be set up")
                return
            }
            #expect(recovery.count == 10)
            #expect(try await Self.session(entry, in: school)?.methods == [.password, .oneTimeCode])

            // Who has to from now on, gets all days; nobody else gets them again.
            let later = school.fixed.now
            let site = try await school.insertPerson("site", .siteManager)
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator, .siteManager], graceDays: 7, for: organization, at: later,
                    in: transaction)
            }
            #expect(try await due(head) == start.addingTimeInterval(7 * 86_400))
            #expect(try await due(site) == later.addingTimeInterval(7 * 86_400))
            // Who has to for two reasons, has to when the first of them says so.
            try await school.assign(.siteManager, at: nil, to: head)
            #expect(try await due(head) == start.addingTimeInterval(7 * 86_400))
            school.fixed.advance(by: 60)
            let now = school.fixed.now
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator], graceDays: 0, for: organization, at: now, in: transaction)
            }
            #expect(try await due(head) == start)
            #expect(try await due(site) == nil)
            await #expect(throws: DirectoryError.self) {
                try await school.database.write { transaction in
                    try FactorRule.find(of: organization, in: transaction).put(
                        holders: [], graceDays: 91, for: organization, at: now, in: transaction)
                }
            }
        }
    }

    @Test(
        "a rule for developers holds members of teams who are people of the organization, as long as they are members",
        arguments: TestDatabase.available)
    func developers(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, _ in
            let (organization, start) = (school.organization.id, school.fixed.now)
            func missing() async throws -> Int {
                try await school.database.read { transaction in
                    try FactorRule.find(of: organization, in: transaction)
                        .countMissing(in: organization, at: school.fixed.now, transaction)
                }
            }
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.teamMember], graceDays: 3, for: organization, at: start, in: transaction)
                let team = try transaction.first(
                    """
                    INSERT INTO team (public_id, name, sealed_identifier_key, created_at) VALUES ('T', 'Team', $1, $2)
                    RETURNING id
                    """, [[0] as [UInt8], start]
                ) { try $0["id"] as Int64 }
                try transaction.execute(
                    "INSERT INTO team_member (team_id, person_id) VALUES ($1, $2)", [try #require(team), nadia.id])
            }
            #expect(try await missing() == 1)
            guard case .signedIn = try await Self.signIn(nadia, in: school) else {
                Issue.record("the days were not waited for")
                return
            }
            school.fixed.advance(by: 3 * 86_400)
            let token = try await Self.pending(nadia, in: school)
            #expect(try await school.factorSignIn.pending(token)?.mustSetUp == true)
            try await school.database.write {
                try $0.execute("DELETE FROM team_member WHERE person_id = $1", [nadia.id])
            }
            #expect(try await missing() == 0)
            guard case .signedIn = try await Self.signIn(nadia, in: school) else {
                Issue.record("somebody who develops nothing any more is held to the rule")
                return
            }
        }
    }

    @Test("a rule of an older version, without a time for each, goes on as it was", arguments: TestDatabase.available)
    func olderRule(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, _ in
            let (organization, start) = (school.organization.id, school.fixed.now)
            try await school.assign(.administrator, at: nil, to: nadia)
            try await school.database.write { transaction in
                try transaction.execute(
                    """
                    UPDATE organization SET factor_holders = $2, factor_grace_days = 5, factors_since = $3
                    WHERE id = $1
                    """, [organization, "administrator team_member", start])
            }
            func check(_ holders: Set<FactorRule.Holder>) async throws {
                let (rule, due) = try await school.database.read {
                    (
                        try FactorRule.find(of: organization, in: $0),
                        try FactorRule.dueDate(for: nadia, at: school.fixed.now, in: $0)
                    )
                }
                #expect(rule.holders == holders && rule.since == start)
                #expect(due == start.addingTimeInterval(5 * 86_400))
            }
            try await check([.administrator, .teamMember])
            school.fixed.advance(by: 86_400)
            let later = school.fixed.now
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator, .peopleManager], graceDays: 5, for: organization, at: later,
                    in: transaction)
            }
            try await check([.administrator, .peopleManager])
        }
    }

    @Test(
        "who must set one up and has one shows it: nobody adds another by the password alone",
        arguments: TestDatabase.available)
    func noSecondFirst(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            _ = try await school.addOneTimeCodes(in: session)
            let token = try await Self.pending(nadia, in: school)
            let key = try school.factorChanges.newOneTimeCodeKey(for: nadia.id)
            let code = OneTimeCode.code(of: key.secret, step: OneTimeCode.step(at: school.fixed.now))
            guard
                case .over = try await school.factorSignIn.finish(
                    token, settingUp: .oneTimeCodes(code: code, sealed: key.sealed), Self.visit, then: { _, _ in })
            else {
                Issue.record("a thief of the password has set up codes of their own")
                return
            }
        }
    }

    @Test("a reset takes everything away and ends all sign-ins", arguments: TestDatabase.available)
    func reset(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, nadia, session in
            _ = try await school.addPasskey(in: session)
            _ = try await school.addOneTimeCodes(in: session)
            let token = try await Self.pending(nadia, in: school)
            try await school.database.write { try Factors.reset(nadia.id, in: $0) }
            let now = school.fixed.now
            #expect(try await school.database.read { try BrowserSession.reload(session, at: now, in: $0) } == nil)
            #expect(try await school.factorSignIn.pending(token) == nil)
            guard case .signedIn = try await Self.signIn(nadia, in: school) else {
                Issue.record("the password is not enough")
                return
            }
        }
    }
}
