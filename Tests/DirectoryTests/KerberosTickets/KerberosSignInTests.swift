import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct KerberosSignInTests {
    private static let realm = "MAPLE.EXAMPLE"

    /// A school that takes tickets of the realm.
    private static func with(
        _ kind: TestDatabase, matching: KerberosRealm.Matching = .userName, domain: String? = "maple.example",
        _ body: (School, KerberosSignIn) async throws -> Void
    ) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (organization, now) = (school.organization.id, school.fixed.now)
            let realm = try KerberosRealm(name: realm, matching: matching, domain: domain)
            #expect(try await database.write { try realm.put(for: organization, at: now, in: $0) })
            try await body(school, KerberosSignIn(database: database, surroundings: school.fixed.surroundings))
        }
    }

    private static func ticket(
        _ name: String, in school: School, realm: String = realm, issuer: String? = nil, use: String? = nil
    ) -> KerberosSignIn.Ticket {
        KerberosSignIn.Ticket(
            name: name, realm: realm, issuer: issuer ?? realm, use: use ?? UUID().uuidString,
            endsAt: school.fixed.now.addingTimeInterval(36_000)
        )
    }

    private static func refusal(
        _ ticket: KerberosSignIn.Ticket, _ signIn: KerberosSignIn
    ) async throws -> KerberosSignIn.Refusal? {
        let outcome = try await signIn.signIn(by: ticket, userAgent: nil, origin: origin)
        if case .refused(let refusal) = outcome { return refusal }
        return nil
    }

    private static func person(
        _ ticket: KerberosSignIn.Ticket, _ signIn: KerberosSignIn
    ) async throws -> Person? {
        let outcome = try await signIn.signIn(by: ticket, userAgent: nil, origin: origin)
        if case .signedIn(let person, _) = outcome { return person }
        return nil
    }

    private static let origin = Origin.request("r1", address: "192.0.2.1")

    private static func signIns(in school: School) async throws -> [String] {
        try await school.database.read { transaction in
            try transaction.all(
                "SELECT outcome, detail FROM audit_entry WHERE action = 'sign-in' ORDER BY organization_id, sequence"
            ) { "\(try $0["outcome"] as String): \(try $0["detail"] as String)" }
        }
    }

    @Test("a ticket signs in whose user name it has, in whichever case", arguments: TestDatabase.available)
    func userNames(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            let outcome = try await signIn.signIn(
                by: Self.ticket("Nadia", in: school), userAgent: "curl", origin: Self.origin)
            guard case .signedIn(let person, let entry) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(person.id == nadia.id)
            let now = school.fixed.now
            let session = try #require(
                try await school.database.read {
                    try BrowserSession.find(token: entry.session.text, at: now, in: $0)
                })
            // The ticket says nothing about who sits there now.
            #expect(session.methods == .kerberos && session.beganUnattended && session.confirmedAt == nil)
            #expect(try await Self.signIns(in: school) == ["done: by Kerberos as Nadia@MAPLE.EXAMPLE"])
        }
    }

    @Test("names that mean nobody, and realms that are nobody's, let nobody in", arguments: TestDatabase.available)
    func strangers(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            _ = try await school.insertPerson("nadia", .instructor)
            // The sign of the Kelvin is no K, although it is one in lower case.
            _ = try await school.insertPerson("kim", .student)
            for name in ["ben", "\u{212a}im", "nadia@maple.example", "", "%", String(repeating: "n", count: 10_000)] {
                #expect(try await Self.refusal(Self.ticket(name, in: school), signIn) == .unknownName, "\(name)")
            }
            for realm in ["OAK.EXAMPLE", "maple.example", "MAPLE.EXAMPLE."] {
                #expect(
                    try await Self.refusal(Self.ticket("nadia", in: school, realm: realm), signIn) == .unknownRealm,
                    "\(realm)")
            }
            // The user name fits, but the person is of another organization.
            let oak = try await School.insert(in: school.database, school.fixed, name: "Oak")
            _ = try await oak.insertPerson("carl", .instructor)
            #expect(try await Self.refusal(Self.ticket("carl", in: school), signIn) == .unknownName)
        }
    }

    @Test(
        "numbers and names of the information system, of which nobody else has the same",
        arguments: TestDatabase.available)
    func otherNames(_ kind: TestDatabase) async throws {
        for (matching, column) in [
            (KerberosRealm.Matching.sisUserName, "sis_username"), (.personNumber, "person_number"),
        ] {
            try await Self.with(kind, matching: matching, domain: nil) { school, signIn in
                let nadia = try await school.insertPerson("nadia", .instructor)
                let ben = try await school.insertPerson("ben", .student)
                let zoe = try await school.insertPerson("zoe", .student)
                func put(_ name: String?, _ person: Person) async throws {
                    try await school.database.write {
                        try $0.execute("UPDATE person SET \(column) = $2 WHERE id = $1", [person.id, name])
                    }
                }
                try await put("A12", nadia)
                try await put("twin", ben)
                try await put("Twin", zoe)
                #expect(try await Self.person(Self.ticket("a12", in: school), signIn)?.id == nadia.id)
                #expect(try await Self.refusal(Self.ticket("twin", in: school), signIn) == .ambiguousName)
                #expect(try await Self.refusal(Self.ticket("nadia", in: school), signIn) == .unknownName)
                let (organization, rule) = (
                    school.organization.id, try KerberosRealm(name: "R", matching: matching, domain: nil)
                )
                var reach = try await school.database.read { try rule.reach(in: organization, $0) }
                #expect(reach.people == 1 && reach.ambiguous == 2)
                // Also if one of the two may not sign in: the name has been another person's.
                try await school.deactivate(zoe)
                #expect(try await Self.refusal(Self.ticket("twin", in: school), signIn) == .ambiguousName)
                reach = try await school.database.read { try rule.reach(in: organization, $0) }
                #expect(reach.people == 1 && reach.ambiguous == 1)
            }
        }
    }

    @Test("a message counts once, until its ticket has long ended", arguments: TestDatabase.available)
    func replays(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            _ = try await school.insertPerson("nadia", .instructor)
            let ticket = Self.ticket("nadia", in: school, use: "one")
            #expect(try await Self.person(ticket, signIn) != nil)
            #expect(try await Self.refusal(ticket, signIn) == .used)
            // Another node has the same database, and nothing else in common.
            let other = KerberosSignIn(database: school.database, surroundings: school.fixed.surroundings)
            #expect(try await Self.refusal(ticket, other) == .used)
            school.fixed.advance(by: 36_000 + 300)
            #expect(try await Self.refusal(ticket, other) == .used)
            // What was told a moment ago is not told again by the same node.
            #expect(try await Self.signIns(in: school).count == 4)
            for _ in 0..<20 { _ = try await Self.refusal(ticket, other) }
            #expect(try await Self.signIns(in: school).count == 4)
        }
    }

    @Test("of many who show one message at once, one is signed in", arguments: TestDatabase.available)
    func simultaneousReplays(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            _ = try await school.insertPerson("nadia", .instructor)
            let ticket = Self.ticket("nadia", in: school, use: "one")
            let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.person(ticket, signIn) != nil } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(admitted == 1)
        }
    }

    @Test("accounts that may not sign in, and organizations that have ended", arguments: TestDatabase.available)
    func closed(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.deactivate(nadia)
            #expect(try await Self.refusal(Self.ticket("nadia", in: school), signIn) == .deactivated)
            _ = try await school.insertPerson("ben", .student)
            let (organization, now) = (school.organization, school.fixed.now)
            try await school.database.write { try organization.close(erasingOn: CalendarDay(now), at: now, in: $0) }
            let outcome = try await signIn.signIn(
                by: Self.ticket("ben", in: school), userAgent: nil, origin: Self.origin)
            guard case .organizationClosed = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test("a second factor is asked for, and the session has both", arguments: TestDatabase.available)
    func secondFactor(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let (secret, _) = try await school.addOneTimeCodes(in: try await school.signIn(nadia))
            school.fixed.advance(by: 60)
            let outcome = try await signIn.signIn(
                by: Self.ticket("nadia", in: school), userAgent: nil, origin: Self.origin)
            guard case .needsFactor(let token) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let visit = FactorSignIn.Visit(userAgent: nil, sessionToken: nil, knownBrowser: nil, origin: Self.origin)
            let finished = try await school.factorSignIn.finish(
                token.text, code: OneTimeCode.code(of: secret, step: OneTimeCode.step(at: school.fixed.now)), visit)
            guard case .signedIn(_, let entry, _) = finished else {
                Issue.record("\(finished)")
                return
            }
            let now = school.fixed.now
            let session = try #require(
                try await school.database.read {
                    try BrowserSession.find(token: entry.session.text, at: now, in: $0)
                })
            #expect(session.methods == [.kerberos, .oneTimeCode] && session.methods.isMultiFactor)
            #expect(!session.beganUnattended && session.confirmedBy == .oneTimeCode)
            #expect(try await Self.signIns(in: school).last == "done: by Kerberos and a one-time code")
        }
    }

    @Test(
        "who has the key of another school's realm writes no tickets for this school", arguments: TestDatabase.available
    )
    func otherIssuers(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            let oak = try await School.insert(in: school.database, school.fixed, name: "Oak")
            let now = school.fixed.now
            for (name, owner) in [("OAK.EXAMPLE", oak), ("BRANCH.MAPLE.EXAMPLE", school)] {
                let realm = try KerberosRealm(name: name, matching: .userName, domain: nil)
                let organization = owner.organization.id
                #expect(try await school.database.write { try realm.put(for: organization, at: now, in: $0) })
            }
            for issuer in ["OAK.EXAMPLE", "NOBODYS.EXAMPLE", "maple.example", ""] {
                let ticket = Self.ticket("nadia", in: school, issuer: issuer)
                for _ in 0..<2 { #expect(try await Self.refusal(ticket, signIn) == .otherIssuer, "\(issuer)") }
            }
            // The school whose realm the ticket names can read of it, once of each; the other one does not.
            let refused =
                "refused: by Kerberos as nadia@MAPLE.EXAMPLE: the ticket was made by a realm that is not of the same organization"
            #expect(try await Self.signIns(in: school) == Array(repeating: refused, count: 4))
            let theirs = oak.organization.id
            let entries = try await school.database.read {
                try $0.first(
                    "SELECT COUNT(*) FROM audit_entry WHERE organization_id = $1 AND action = 'sign-in'", [theirs]
                ) { try $0[0] as Int }
            }
            #expect(entries == 0)
            // Realms of one organization may trust each other.
            let ticket = Self.ticket("nadia", in: school, issuer: "BRANCH.MAPLE.EXAMPLE")
            #expect(try await Self.person(ticket, signIn)?.id == nadia.id)
        }
    }

    @Test("a ticket chooses no password and no first second factor", arguments: TestDatabase.available)
    func nothingLasting(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            #expect(try await Self.person(Self.ticket("nadia", in: school), signIn)?.id == nadia.id)
            let later = school.fixed.now.addingTimeInterval(86_400)
            try await school.database.write {
                try $0.execute("UPDATE credential SET temporary_until = $2 WHERE person_id = $1", [nadia.id, later])
            }
            #expect(try await Self.refusal(Self.ticket("nadia", in: school), signIn) == .needsPassword)
            try await school.database.write {
                try $0.execute("UPDATE credential SET temporary_until = NULL WHERE person_id = $1", [nadia.id])
            }
            let head = try await school.insertPerson("head", .administrator)
            #expect(try await Self.person(Self.ticket("head", in: school), signIn)?.id == head.id)
            let (organization, now) = (school.organization.id, school.fixed.now)
            try await school.database.write { transaction in
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator], graceDays: 0, for: organization, at: now, in: transaction)
            }
            #expect(try await Self.refusal(Self.ticket("head", in: school), signIn) == .needsPassword)
        }
    }

    @Test("whoever imports numbers does not choose who an Administrator is", arguments: TestDatabase.available)
    func power(_ kind: TestDatabase) async throws {
        try await Self.with(kind, matching: .personNumber, domain: nil) { school, signIn in
            for (number, role) in [("1", Role.administrator), ("2", .peopleManager), ("3", .instructor)] {
                let person = try await school.insertPerson("p\(number)", role)
                try await school.database.write {
                    try $0.execute("UPDATE person SET person_number = $2 WHERE id = $1", [person.id, number])
                }
            }
            for number in ["1", "2"] {
                #expect(try await Self.refusal(Self.ticket(number, in: school), signIn) == .needsPassword, "\(number)")
            }
            #expect(try await Self.person(Self.ticket("3", in: school), signIn) != nil)
        }
    }

    @Test("of many sessions by tickets the oldest end, and no other session does", arguments: TestDatabase.available)
    func sessions(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let nadia = try await school.insertPerson("nadia", .instructor)
            let ben = try await school.insertPerson("ben", .student)
            try await school.setPassword(of: nadia, to: "Corr3ct horse")
            let typed = try await school.signIn(nadia)
            var tokens: [String] = []
            for person in ["ben"] + Array(repeating: "nadia", count: KerberosSignIn.sessionsMax + 2) {
                school.fixed.advance(by: 60)
                let outcome = try await signIn.signIn(
                    by: Self.ticket(person, in: school), userAgent: nil, origin: Self.origin)
                guard case .signedIn(_, let entry) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                tokens.append(entry.session.text)
            }
            let (now, all) = (school.fixed.now, tokens)
            let living = try await school.database.read { transaction in
                try all.map { try BrowserSession.find(token: $0, at: now, in: transaction)?.person.id }
            }
            #expect(
                living == [ben.id, nil, nil] + Array(repeating: nadia.id, count: KerberosSignIn.sessionsMax)
                    as [PersonID?])
            #expect(try await school.database.read { try BrowserSession.reload(typed, at: now, in: $0) } != nil)
        }
    }

    @Test("who signs in without an end has to wait, and makes nobody else wait", arguments: TestDatabase.available)
    func pace(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            _ = try await school.insertPerson("nadia", .instructor)
            // Another school's key has written the same name into tickets.
            for _ in 0..<21 {
                _ = try await Self.refusal(Self.ticket("nadia", in: school, issuer: "OAK.EXAMPLE"), signIn)
            }
            for _ in 0..<20 { #expect(try await Self.person(Self.ticket("nadia", in: school), signIn) != nil) }
            let outcome = try await signIn.signIn(
                by: Self.ticket("nadia", in: school), userAgent: nil, origin: Self.origin)
            guard case .mustWait(seconds: 5) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            school.fixed.advance(by: 5)
            #expect(try await Self.person(Self.ticket("nadia", in: school), signIn) != nil)
        }
    }

    @Test("a realm belongs to one organization, however it is written", arguments: TestDatabase.available)
    func oneOwner(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { school, signIn in
            let oak = try await School.insert(in: school.database, school.fixed, name: "Oak")
            let (theirs, now) = (oak.organization.id, school.fixed.now)
            for name in ["MAPLE.EXAMPLE", "maple.example"] {
                let realm = try KerberosRealm(name: name, matching: .userName, domain: nil)
                #expect(try await !school.database.write { try realm.put(for: theirs, at: now, in: $0) })
            }
            #expect(throws: DirectoryError.self) {
                try KerberosRealm(name: "two words", matching: .userName, domain: nil)
            }
            #expect(throws: DirectoryError.self) {
                try KerberosRealm(name: "A", matching: .personNumber, domain: "maple.example")
            }
        }
    }
}
