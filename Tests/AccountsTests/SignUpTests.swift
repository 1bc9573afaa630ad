import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct SignUpTests {
    @Test(
        "the account exists once the code from the mail was entered, and not before", arguments: TestDatabase.available)
    func signsUp(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let challenge = try await office.challenge(office.ask())
            #expect(try await !office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
            let code = try await office.code()
            #expect(try await office.mails() == ["Nadia@home.example: signUpCode(\"\(code)\")"])
            // As people copy it.
            let entry = try await office.enter(" \(code.prefix(3))-\(code.suffix(3)) ", for: challenge)
            guard case .signedUp(let browser, "/account") = entry else {
                Issue.record("\(entry)")
                return
            }
            let person = try #require(try await office.session(browser.session)?.person)
            #expect(person.fullName == "Nadia Silva" && person.organizationID == nil && person.state == .active)
            #expect(person.email == "Nadia@home.example" && person.userName == AccountOffice.userName)
            #expect(try await office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
            #expect(try await office.audit().contains("person.created done by sign-up, with a verified address"))
            // It is used up.
            #expect(try await office.enter(code, for: challenge).name == "expired")
        }
    }

    @Test("an address that has an account looks the same, and its owner gets a mail", arguments: TestDatabase.available)
    func taken(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            _ = try await office.signUp()
            let again = try await office.challenge(office.ask(email: "NADIA@home.example"))
            let mails = try await office.mails()
            #expect(mails.count == 2 && mails[1] == "NADIA@home.example: accountExists")
            for left in [4, 3, 2, 1] {
                #expect(try await office.enter("123456", for: again).name == "wrong, \(left) left")
            }
            #expect(try await office.enter("123456", for: again).name == "expired")
            // A new code goes the same way.
            guard case .sent = try await office.accounts.renew(again, office.visit()) else {
                Issue.record("not sent")
                return
            }
            #expect(try await office.mails().last == "NADIA@home.example: accountExists")
            // The password of the application is worth nothing.
            #expect(try await office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
        }
    }

    @Test("what does not do is named, and costs no mail", arguments: TestDatabase.available)
    func problems(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (organization, now) = (office.server.school.organization.id, office.fixed.now)
            try await database.write {
                try Domain.put("maple.example", verifiedAt: now, of: organization, at: now, in: $0)
                try Domain.put("oak.example", verifiedAt: nil, of: organization, at: now, in: $0)
            }
            #expect(
                try await office.ask(givenName: " ", familyName: "", email: "nadia", password: "short").name
                    == "refused: email, familyName, givenName, password(Directory.PasswordProblem.doesNotFit)")
            for address in [
                "", "a@b", "a b@home.example", "a@home.example\r\nBcc: b@home.example", "name@relay.lanyard.example",
                "\(String(repeating: "a", count: 64))@\(String(repeating: "b", count: 60)).example.home.example",
            ] {
                #expect(try await office.ask(email: address).name == "refused: email", "\(address)")
            }
            for address in ["new@maple.example", "New@MAPLE.example"] {
                #expect(try await office.ask(email: address).name == "refused: emailOfOrganization")
            }
            #expect(try await office.mails() == [])
            // Whoever only claims a domain has no say.
            #expect(try await office.ask(email: "new@oak.example").name == "asked")
        }
    }

    @Test(
        "five codes may be tried, within fifteen minutes, in the browser that asked", arguments: TestDatabase.available)
    func limits(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            guard case .asked(let token) = try await office.ask() else { throw AccountOffice.Missing.challenge }
            #expect(try await office.accounts.challenge(token.text, office.visit(browser: "another")) == nil)
            #expect(try await office.accounts.challenge("another", office.visit()) == nil)
            let challenge = try #require(try await office.accounts.challenge(token.text, office.visit()))
            let (right, wrong) = (try await office.code(), try await office.wrongCode())
            for _ in 0..<5 { _ = try await office.enter(wrong, for: challenge) }
            #expect(try await office.enter(right, for: challenge).name == "expired")

            _ = try await office.accounts.renew(challenge, office.visit())
            #expect(try await office.enter(right, for: challenge).name == "wrong, 4 left")  // the old one
            let next = try await office.code()
            office.fixed.advance(by: EmailChallenge.lifetime)
            #expect(try await office.enter(next, for: challenge).name == "expired")
            _ = try await office.accounts.renew(challenge, office.visit())
            office.fixed.advance(by: EmailChallenge.lifetime - 1)
            #expect(try await office.enter(office.code(), for: challenge).name == "signed up")
        }
    }

    @Test("a hundred codes at once are five tries", arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let challenge = try await office.challenge(office.ask())
            let wrong = try await office.wrongCode()
            let names = await concurrently(0..<100) { _ in
                (try? await office.enter(wrong, for: challenge).name) ?? "error"
            }
            #expect(names.filter { $0.hasPrefix("wrong") }.count == 4)
            #expect(names.filter { $0 == "expired" }.count == 96)
        }
    }

    @Test("of two who sign up with one address at once, one gets the account", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let names = ["First", "Second"]
            var entries: [(code: String, challenge: EmailChallenge)] = []
            for name in names {
                let challenge = try await office.challenge(office.ask(familyName: name))
                entries.append((try await office.code(), challenge))
            }
            let asked = entries
            let outcomes = await concurrently(0..<2) { index in
                let entry = try? await office.enter(asked[index].code, for: asked[index].challenge)
                return "\(entry?.name ?? "error") \(names[index])"
            }
            let person = try await database.read { try Person.find(userName: AccountOffice.userName, in: $0) }
            let (winner, loser) = person?.familyName == "First" ? ("First", "Second") : ("Second", "First")
            #expect(outcomes.sorted() == ["expired \(loser)", "signed up \(winner)"])
        }
    }

    @Test("one mailbox gets five codes an hour and fifteen a day, whoever asks", arguments: TestDatabase.available)
    func mailbox(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            var challenge: EmailChallenge?
            for number in 0..<5 {
                let asking = try await office.ask(office.visit(from: "192.0.2.\(number)"))
                challenge = try await office.challenge(asking)
                office.fixed.advance(by: 60)
            }
            #expect(try await office.ask(email: "nadia@HOME.example").name == "wait 55")
            guard case .mustWait(55) = try await office.accounts.renew(challenge!, office.visit()) else {
                Issue.record("a new code was sent")
                return
            }
            // Others are not kept waiting.
            #expect(try await office.ask(email: "omar@home.example").name == "asked")
            office.fixed.advance(by: 55 * 60)
            #expect(try await office.ask().name == "asked")
            for _ in 0..<20 {
                office.fixed.advance(by: 1_800)
                _ = try await office.ask()
            }
            #expect(try await office.mails().filter { $0.hasPrefix("Nadia") }.count == 15)
            office.fixed.advance(by: 86_400)
            #expect(try await office.ask().name == "asked")
        }
    }

    @Test(
        "one network address asks for sixty codes an hour; in IPv6 the household counts",
        arguments: TestDatabase.available)
    func network(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            for number in 0..<60 {
                let visit = office.visit(from: number % 2 == 0 ? "2001:db8::1" : "2001:db8:0:0:9::2")
                #expect(try await office.ask(email: "p\(number)@home.example", visit).name == "asked")
            }
            #expect(try await office.ask(email: "q@home.example", office.visit(from: "2001:db8::3")).name == "wait 60")
            #expect(
                try await office.ask(email: "q@home.example", office.visit(from: "2001:db8:0:1::3")).name == "asked")
            #expect(try await office.mails().count == 61)
        }
    }

    @Test("what was typed for an account that never came about is deleted", arguments: TestDatabase.available)
    func tidies(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            _ = try await office.ask()
            office.fixed.advance(by: EmailChallenge.lifetime + 3_600 - 1)
            let (before, after) = (office.fixed.now, office.fixed.now + 1)
            let day = office.fixed.now + 86_400
            let wasOld = try await database.read { try PersonalAccounts.hasOldRequests(at: before, in: $0) }
            let isOld = try await database.read { try PersonalAccounts.hasOldRequests(at: after, in: $0) }
            #expect(!wasOld && isOld)
            try await database.write { try PersonalAccounts.deleteOldRequests(at: day, in: $0) }
            let left = try await database.read {
                try $0.first("SELECT (SELECT COUNT(*) FROM email_challenge) + (SELECT COUNT(*) FROM code_request)") {
                    try $0[0] as Int
                }
            }
            #expect(left == 0)
        }
    }

    @Test("neither code nor password is in the database as it is", arguments: TestDatabase.available)
    func hashed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            _ = try await office.ask()
            let stored = try await database.read {
                try $0.all("SELECT code_hash, password_hash FROM email_challenge") { [try $0[0] as String, try $0[1]] }
            }
            #expect(stored.flatMap { $0 }.count == 2)
            for hash in stored.flatMap({ $0 }) { #expect(hash.hasPrefix("$argon2id$")) }
        }
    }
}
