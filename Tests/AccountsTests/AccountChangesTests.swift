import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

/// A forgotten password, another address, another name.
@Suite struct AccountChangesTests {
    @Test("strangers who ask for codes all day keep nobody from a new password", arguments: TestDatabase.available)
    func strangers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let challenge = try await office.challenge(office.ask())
            guard case .signedUp(let entry, _) = try await office.enter(office.code(), for: challenge) else {
                Issue.record("there is no account")
                return
            }
            office.fixed.advance(by: 86_400)
            func ask(_ visit: PersonalAccounts.Visit) async throws -> String {
                try await office.accounts.forgotPassword(email: AccountOffice.address, then: "/", visit).name
            }
            for number in 0..<5 {
                #expect(try await ask(office.visit(from: "198.51.100.\(number)", browser: "b\(number)")) == "asked")
            }
            #expect(try await ask(office.visit(browser: "stranger")) == "wait 60")
            #expect(
                try await ask(office.visit(browser: "stranger", known: Secret(from: office.fixed.surroundings)))
                    == "wait 60")
            // Her own browser has an allowance of its own, and that is limited too.
            for _ in 0..<5 { #expect(try await ask(office.visit(known: entry.knownBrowser)) == "asked") }
            #expect(try await ask(office.visit(known: entry.knownBrowser)) == "wait 60")
        }
    }

    @Test(
        "a forgotten password is replaced with a code; every session ends but the new one",
        arguments: TestDatabase.available)
    func forgotten(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (_, before) = try await office.signUp()
            let asking = try await office.accounts.forgotPassword(
                email: "nadia@home.example", then: "/account", office.visit())
            let challenge = try await office.challenge(asking)
            #expect(
                try await office.mails().last == "nadia@home.example: resetCode(\"\(office.code())\")")
            // Not without the code.
            let tooEarly = try await office.accounts.replacePassword(
                by: "An0ther horse", for: challenge, office.visit())
            guard case .expired = tooEarly else { throw AccountOffice.Missing.code }
            #expect(try await office.enter(office.wrongCode(), for: challenge).name == "wrong, 4 left")
            #expect(try await office.enter(office.code(), for: challenge).name == "may choose")

            let verified = try await office.challenge(asking)
            guard
                case .refused(.doesNotFit) = try await office.accounts.replacePassword(
                    by: "short", for: verified, office.visit()),
                case .replaced(let entry, "/account") = try await office.accounts.replacePassword(
                    by: "An0ther horse", for: verified, office.visit())
            else { throw AccountOffice.Missing.account }
            let (old, new) = (try await office.session(before), try await office.session(entry.session))
            #expect(old == nil && new != nil)
            #expect(try await office.maySignIn(AccountOffice.userName, password: "An0ther horse"))
            #expect(try await !office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
            #expect(try await office.mails().last == "Nadia@home.example: passwordReplaced")
            #expect(try await office.audit().contains("password.changed done forgotten; replaced with a code"))
            // It is used up.
            guard
                case .expired = try await office.accounts.replacePassword(
                    by: "Th1rd horse", for: verified, office.visit())
            else { throw AccountOffice.Missing.code }
        }
    }

    @Test("whoever reads the mailbox gets no further than to the second factor", arguments: TestDatabase.available)
    func forgottenWithFactor(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (person, _) = try await office.signUp()
            let now = office.fixed.now
            try await database.write {
                try $0.execute(
                    """
                    INSERT INTO one_time_code_key (person_id, sealed_secret, last_step, added_at)
                    VALUES ($1, $2, 0, $3)
                    """, [person.id, [1] as [UInt8], now])
            }
            let asking = try await office.accounts.forgotPassword(
                email: "nadia@home.example", then: "/account", office.visit())
            #expect(try await office.enter(office.code(), for: try await office.challenge(asking)).name == "may choose")
            guard
                case .needsFactor(let pending, "/account") = try await office.accounts.replacePassword(
                    by: "An0ther horse", for: try await office.challenge(asking), office.visit())
            else { throw AccountOffice.Missing.account }
            let (waiting, sessions) = try await database.read { transaction in
                (
                    try PendingSignIn.find(pending.text, at: now, in: transaction)?.person.id,
                    try BrowserSession.count(of: person.id, at: now, in: transaction)
                )
            }
            #expect(waiting == person.id && sessions == 0)
        }
    }

    @Test(
        "a new address or a new password ends the codes that went out before", arguments: TestDatabase.available,
        [true, false])
    func formerCodes(_ kind: TestDatabase, changesAddress: Bool) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (person, token) = try await office.signUp()
            office.fixed.advance(by: 60)
            // Somebody reads the mailbox.
            let thief = office.visit(browser: "another")
            let asking = try await office.accounts.forgotPassword(
                email: "nadia@home.example", then: "/account", thief)
            let challenge = try await office.challenge(asking, thief)
            #expect(try await office.enter(office.code(), for: challenge, thief).name == "may choose")
            let verified = try await office.challenge(asking, thief)
            let later = try await office.accounts.forgotPassword(
                email: "nadia@home.example", then: "/account", thief)
            let unverified = try await office.challenge(later, thief)

            office.fixed.advance(by: 60)
            if changesAddress {
                let change = try await office.challenge(changeEmail(office, token, to: "new@home.example"))
                let entry = try await office.enter(office.code(), for: change, office.visit(session: token))
                #expect(entry.name == "changed")
            } else {
                let (hash, now) = (try await office.hasher.hash("Own3r horse"), office.fixed.now)
                try await database.write {
                    try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: $0)
                }
            }
            office.fixed.advance(by: 60)
            // The page does not tell the new address either.
            #expect(try await office.accounts.userName(for: verified) == nil)
            guard
                case .expired = try await office.accounts.replacePassword(
                    by: "Th1ef horse", for: verified, thief)
            else { throw AccountOffice.Missing.code }
            #expect(
                try await office.maySignIn(
                    changesAddress ? "new@home.example" : AccountOffice.userName,
                    password: changesAddress ? AccountOffice.password : "Own3r horse"))

            // A new code for the same page says anew who reads the mailbox now.
            let sent = try await office.mails().count
            _ = try await office.accounts.renew(unverified, thief)
            #expect(try await office.mails().count == (changesAddress ? sent : sent + 1))
            guard !changesAddress else { return }
            #expect(try await office.enter(office.code(), for: unverified, thief).name == "may choose")
            let renewed = try await office.challenge(later, thief)
            guard
                case .replaced = try await office.accounts.replacePassword(by: "An0ther horse", for: renewed, thief)
            else { throw AccountOffice.Missing.account }
        }
    }

    @Test(
        "only the owner of a personal account gets a code; the page is the same for all",
        arguments: TestDatabase.available)
    func whoGetsCodes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            _ = try await office.server.school.insertPerson("chen", .staff, email: "chen@mail.example")
            _ = try await office.server.school.insertPerson("pupil", .student)
            for address in ["nobody@home.example", "chen@maple.example", "pupil@maple.example"] {
                let asking = try await office.accounts.forgotPassword(email: address, then: "/", office.visit())
                let challenge = try await office.challenge(asking)
                #expect(challenge.email == address)
                #expect(try await office.enter("123456", for: challenge).name == "wrong, 4 left")
            }
            // Chen is told at the address that the organization has; nobody else gets anything.
            #expect(
                try await office.mails() == [
                    "chen@mail.example: managedAccount(organization: \"Maple District\")"
                ])
            let asking = try await office.accounts.forgotPassword(email: "nobody", then: "/", office.visit())
            #expect(asking.name == "refused: email")
        }
    }

    @Test("five wrong codes for somebody's account are told in the audit trail", arguments: TestDatabase.available)
    func tellsGuesses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            _ = try await office.signUp()
            let asking = try await office.accounts.forgotPassword(
                email: AccountOffice.userName, then: "/", office.visit())
            let challenge = try await office.challenge(asking)
            let wrong = try await office.wrongCode()
            for _ in 0..<5 { _ = try await office.enter(wrong, for: challenge) }
            #expect(
                try await office.audit().suffix(2) == [
                    "email-code.sent done", "email-code.refused refused 5 wrong codes",
                ])
        }
    }

    private func changeEmail(
        _ office: AccountOffice, _ token: Secret, to email: String
    ) async throws -> PersonalAccounts.Asking<PersonalAccounts.EmailProblem> {
        let session = try #require(try await office.session(token))
        return try await office.accounts.askToChangeEmail(
            in: session, to: email, then: "/account", office.visit(session: token))
    }

    @Test("a new address counts once its code was entered; the old one hears of it", arguments: TestDatabase.available)
    func newAddress(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (person, token) = try await office.signUp()
            let visit = office.visit(session: token)
            let challenge = try await office.challenge(changeEmail(office, token, to: "Nadia.New@home.example"))
            let code = try await office.code()
            #expect(try await office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
            #expect(try await office.enter(code, for: challenge, visit).name == "changed")
            #expect(try await office.mails().last == "Nadia@home.example: emailChanged(to: \"Nadia.New@home.example\")")
            let changed = try #require(try await office.session(token)?.person)
            #expect(changed.id == person.id && changed.userName == "nadia.new@home.example")
            #expect(changed.email == "Nadia.New@home.example")
            #expect(try await office.audit().contains("person.changed done email address, verified"))
            // The old address is free again.
            #expect(try await office.signUp().person.id != person.id)
        }
    }

    @Test("an address that is taken, an organization's or the same is not used", arguments: TestDatabase.available)
    func refusedAddresses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (organization, now) = (office.server.school.organization.id, office.fixed.now)
            try await database.write {
                try Domain.put("maple.example", verifiedAt: now, of: organization, at: now, in: $0)
            }
            _ = try await office.signUp(email: "omar@home.example")
            let (_, token) = try await office.signUp()
            #expect(try await changeEmail(office, token, to: "NADIA@home.example").name == "refused: unchanged")
            #expect(try await changeEmail(office, token, to: "x@maple.example").name == "refused: emailOfOrganization")
            #expect(try await changeEmail(office, token, to: "x").name == "refused: email")
            let challenge = try await office.challenge(changeEmail(office, token, to: "omar@home.example"))
            #expect(try await office.mails().last == "omar@home.example: addressTaken")
            #expect(
                try await office.enter("123456", for: challenge, office.visit(session: token)).name == "wrong, 4 left")
        }
    }

    @Test("the code does not change the address of who has signed out meanwhile", arguments: TestDatabase.available)
    func signedOutMeanwhile(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (_, token) = try await office.signUp()
            let challenge = try await office.challenge(changeEmail(office, token, to: "new@home.example"))
            let session = try #require(try await office.session(token))
            let now = session.authenticatedAt
            try await database.write { _ = try BrowserSession.end(token: token.text, at: now, in: $0) }
            let code = try await office.code()
            #expect(
                try await office.enter(code, for: challenge, office.visit(session: token)).name == "session ended")
            #expect(try await office.maySignIn(AccountOffice.userName, password: AccountOffice.password))
            // After a new sign-in the same code is accepted.
            let again = try await office.signIn()
            #expect(try await office.enter(code, for: challenge, office.visit(session: again)).name == "changed")
        }
    }

    @Test(
        "a code for a new address is worth nothing once the password is another, and no other one is sent",
        arguments: TestDatabase.available)
    func newPassword(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (person, token) = try await office.signUp()
            // A stranger who knows the password sits at the owner's browser.
            let challenge = try await office.challenge(changeEmail(office, token, to: "thief@home.example"))
            let code = try await office.code()
            let (hash, now) = (try await office.hasher.hash("Own3r horse"), office.fixed.now)
            try await database.write {
                try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: $0)
            }
            let again = try await office.signIn(password: "Own3r horse")
            let visit = office.visit(session: again)
            let sent = try await office.mails().count
            guard case .done = try await office.accounts.renew(challenge, visit) else {
                throw AccountOffice.Missing.code
            }
            #expect(try await office.mails().count == sent)
            #expect(try await office.enter(code, for: challenge, visit).name == "expired")
            #expect(try await office.maySignIn(AccountOffice.userName, password: "Own3r horse"))
        }
    }

    @Test("the owner of a personal account edits the name, nobody else does", arguments: TestDatabase.available)
    func rename(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let office = try await AccountOffice(on: database)
            let (_, token) = try await office.signUp()
            let session = try #require(try await office.session(token))
            let managed = try await office.server.school.signIn(office.server.administrator)
            let accounts = office.accounts
            #expect(
                try await accounts.rename(in: session, givenName: " ", familyName: "", origin: .system)
                    == .refused([.givenName, .familyName]))
            #expect(
                try await accounts.rename(in: managed, givenName: "A", familyName: "B", origin: .system) == .notAllowed)
            #expect(
                try await accounts.rename(in: session, givenName: " 나디아 ", familyName: "김", origin: .system) == .renamed
            )
            #expect(try await office.session(token)?.person.fullName == "김나디아")
            #expect(try await office.audit().contains("person.changed done name"))
            let administrator = office.server.administrator
            let unchanged = try await database.read { try Person.find(administrator.id, in: $0)?.givenName }
            #expect(unchanged == administrator.givenName)
        }
    }
}
