import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The pages on which people set up, show and remove what they have besides a password.
@Suite struct FactorPagesTests {
    private static let ways = "/account/sign-in-ways"

    private static func code(_ secret: [UInt8], _ server: TestServer) -> String {
        OneTimeCode.code(of: secret, step: OneTimeCode.step(at: server.fixed.now))
    }

    /// The secret that a page shows, taken out of the address for generators.
    private static func secret(on page: Answer) throws -> [UInt8] {
        let match = try #require(page.body.firstMatch(of: #/secret=([A-Z2-7]+)/#))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = match.1.map { character in
            let digits = String(alphabet.firstIndex(of: character) ?? 0, radix: 2)
            return String(repeating: "0", count: 5 - digits.count) + digits
        }.joined()
        return stride(from: 0, to: bits.count - 7, by: 8).map {
            UInt8(bits.dropFirst($0).prefix(8), radix: 2) ?? 0
        }
    }

    private static func recoveryCodes(on page: Answer) -> [String] {
        page.body.matches(of: #/<li><code>([a-z2-9-]+)</code></li>/#).map { String($0.1) }
    }

    /// Sets up one-time codes on the account page.
    private static func setUpCodes(_ server: TestServer, in browser: Browser) async throws -> (
        secret: [UInt8], recovery: [String]
    ) {
        let page = try await browser.get("\(ways)/codes")
        #expect(page.heading == "Set up verification codes")
        #expect(page.body.contains(#"<svg class="scan""#))
        let secret = try secret(on: page)
        let wrong = try await browser.submit(page.form("\(ways)/codes"), ["code": "000000"])
        #expect(wrong.status == 422 && wrong.body.contains("This code is not right"))
        // The same secret is shown again, for a generator that has it already.
        #expect(try Self.secret(on: wrong) == secret)
        let done = try await browser.submit(wrong.form("\(ways)/codes"), ["code": code(secret, server)])
        #expect(done.status == 200 && done.heading == "Your recovery codes")
        return (secret, recoveryCodes(on: done))
    }

    private static func challenge(in browser: Browser) async throws -> String {
        let answer = try await browser.get("/passkeys/challenge", ["Accept": "application/json"])
        #expect(answer["Cache-Control"] == "no-store")
        return try #require(answer.json["challenge"] as? String)
    }

    /// Adds a passkey on the account page.
    private static func addPasskey(
        _ person: Person, in browser: Browser
    ) async throws -> (authenticator: SoftAuthenticator, answer: Answer) {
        let page = try await browser.get(ways)
        let handle = try #require(page.body.firstMatch(of: #/data-user-handle="([^"]+)"/#))
        var authenticator = SoftAuthenticator()
        authenticator.userHandle = Data(base64URLEncoded: String(handle.1)).map { Array($0) }
        let answer = try await browser.submit(
            page.form("\(ways)/passkeys"),
            try authenticator.registrationFields(try await challenge(in: browser), name: "  Nadia’s\nphone "))
        return (authenticator, answer)
    }

    @Test("codes are set up, asked for after the password, and removed", arguments: TestDatabase.available)
    func oneTimeCodes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await server.signIn(nadia.userName, in: browser)
            let account = try await browser.get("/account")
            #expect(account.body.contains(#"href="/account/sign-in-ways""#))
            let (secret, recovery) = try await Self.setUpCodes(server, in: browser)
            #expect(recovery.count == 10)

            server.fixed.advance(by: 60)
            let other = server.browser()
            let signIn = try await server.signIn(nadia.userName, in: other)
            #expect(signIn.location.hasPrefix("/sign-in/factor?"))
            // Nothing of the account is open yet.
            #expect(try await other.get("/account").location.hasPrefix("/sign-in"))
            let page = try await other.follow(signIn)
            #expect(page.heading == "Show that it is you")
            #expect(!page.body.contains(nadia.userName) && !page.body.contains(nadia.familyName))
            let wrong = try await other.submit(page.form("/sign-in/factor"), ["code": "123 45"])
            #expect(wrong.status == 422 && wrong.body.contains("This code is not right"))
            let entered = try await other.submit(
                wrong.form("/sign-in/factor"), ["code": Self.code(secret, server)])
            #expect(entered.status == 303 && entered.location == "/")
            #expect(try await other.get("/account").heading == "Your account")

            // A recovery code has a field of its own, without scripts.
            let third = server.browser()
            let asked = try await third.follow(try await server.signIn(nadia.userName, in: third))
            let link = try #require(asked.body.firstMatch(of: #/href="([^"]+by=recovery)"/#))
            let onPaper = try await third.get(Answer.unescape(link.1))
            #expect(onPaper.body.contains("Recovery code"))
            let spent = try await third.submit(onPaper.form("/sign-in/factor"), ["code": recovery[4]])
            #expect(spent.status == 303)
            let list = try await third.get(Self.ways)
            #expect(list.body.contains("9 codes are left."))

            let removed = try await third.submit(list.form("\(Self.ways)/codes/remove"))
            #expect(removed.location == "\(Self.ways)?done=codesRemoved")
            #expect(try await third.follow(removed).body.contains("Verification codes are off"))
            // The other browsers are signed out.
            for browser in [browser, other] {
                #expect(try await browser.get("/account").location.hasPrefix("/sign-in"))
            }
            #expect(try await server.signIn(nadia.userName, in: other).location == "/")
        }
    }

    @Test("a passkey is added, signs in alone and after a password, and is removed", arguments: TestDatabase.available)
    func passkeys(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await server.signIn(nadia.userName, in: browser)
            let (authenticator, added) = try await Self.addPasskey(nadia, in: browser)
            #expect(added.heading == "Your recovery codes")
            #expect(try await browser.get(Self.ways).body.contains("<bdi>Nadia’s phone</bdi>"))

            let other = server.browser()
            let page = try await other.get("/sign-in")
            #expect(page.body.contains(#"autocomplete="username webauthn""#))
            let form = page.form("/sign-in/passkey")
            let challenge = try await Self.challenge(in: other)
            let entered = try await other.submit(form, try authenticator.fields(challenge))
            #expect(entered.status == 303 && entered.location == "/")
            #expect(try await other.get("/account").heading == "Your account")

            // The same answer again, and one for another browser, are worth nothing.
            for (browser, challenge) in [
                (server.browser(), challenge), (server.browser(), try await Self.challenge(in: browser)),
            ] {
                let page = try await browser.get("/sign-in")
                let refused = try await browser.submit(
                    page.form("/sign-in/passkey"), try authenticator.fields(challenge))
                #expect(refused.status == 422 && refused.body.contains("This passkey could not be used here"))
            }
            // So is one that nobody knows, with the same words.
            let third = server.browser()
            let start = try await third.get("/sign-in")
            let unknown = try await third.submit(
                start.form("/sign-in/passkey"),
                try SoftAuthenticator().fields(try await Self.challenge(in: third)))
            #expect(unknown.status == 422 && unknown.body.contains("This passkey could not be used here"))
            let asked = try await third.follow(try await server.signIn(nadia.userName, in: third))
            #expect(asked.body.contains("Use a passkey"))
            let confirmed = try await third.submit(
                asked.form("/sign-in/factor"), try authenticator.fields(try await Self.challenge(in: third)))
            #expect(confirmed.status == 303 && confirmed.location == "/")

            let list = try await third.get(Self.ways)
            let removed = try await third.submit(list.form("\(Self.ways)/passkeys/", with: "csrf_token"))
            #expect(removed.location == "\(Self.ways)?done=passkeyRemoved")
            #expect(try await !third.follow(removed).body.contains("Nadia’s phone"))
        }
    }

    @Test("what is to be changed is confirmed first, if the sign-in is a while ago")
    func confirmation() async throws {
        try await TestServer.with { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await server.signIn(nadia.userName, in: browser)
            server.fixed.advance(by: 901)
            let asked = try await browser.get(Self.ways)
            #expect(asked.location == "/confirm?continue=%2Faccount%2Fsign-in-ways")
            let page = try await browser.follow(asked)
            #expect(page.heading == "Is it still you?")
            let wrong = try await browser.submit(page.form("/confirm"), ["current_password": "wr0ng guess"])
            #expect(wrong.status == 422 && wrong.body.contains("This is not your current password."))
            let confirmed = try await browser.submit(
                wrong.form("/confirm"), ["current_password": District.password])
            #expect(confirmed.location == Self.ways)
            let (secret, _) = try await Self.setUpCodes(server, in: browser)

            // From now on the password is not enough, and each form looks again.
            server.fixed.advance(by: 901)
            let list = try await browser.get("/account")
            let token = try #require(list.form("/language")?.fields["csrf_token"])
            let refused = try await browser.post("\(Self.ways)/codes/remove", ["csrf_token": token])
            #expect(refused.location == "/confirm?continue=%2Faccount%2Fsign-in-ways")
            let again = try await browser.follow(refused)
            #expect(!again.body.contains("current_password"))
            // Passwords are not even looked at: none counts, and who sends one is asked for the factor.
            for password in [District.password] + [String](repeating: "wr0ng guess", count: 6) {
                let answer = try await browser.post(
                    "/confirm", ["csrf_token": token, "continue": Self.ways, "current_password": password])
                #expect(answer.location == refused.location)
            }
            #expect(try await browser.get(Self.ways).location.hasPrefix("/confirm"))
            let right = try await browser.submit(again.form("/confirm"), ["code": Self.code(secret, server)])
            #expect(right.location == Self.ways)
            #expect(try await browser.get(Self.ways).heading == "Ways to sign in")
        }
    }

    @Test("a consent for all is confirmed first, if the sign-in is a while ago")
    func consent() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            server.fixed.advance(by: 901)
            let asked = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(asked.location.hasPrefix("/confirm?continue=%2Fconnect%2F"))
            let confirm = try await browser.follow(asked)
            let back = try await browser.submit(confirm.form("/confirm"), ["current_password": District.password])
            let again = try await browser.follow(back)
            let allowed = try await browser.submit(again.form("/connect/"), ["decision": "allow"])
            #expect(allowed.redirectParameters["code"] != nil)
        }
    }

    @Test("apps are told what was shown")
    func told() async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let browser = server.browser()
            _ = try await server.signIn(nadia.userName, in: browser)
            let (authenticator, _) = try await Self.addPasskey(nadia, in: browser)
            let client = try await StandardClient.secret(on: server)
            func claims(
                of person: Person, _ changes: [String: String] = [:], in browser: Browser
            ) async throws -> [String: Any] {
                let token = try await client.tokens(as: person, changes, in: browser).identity
                let data = try #require(Data(base64URLEncoded: token.split(separator: ".")[1]))
                return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            }
            let byPassword = try await claims(of: server.maple.teacher, in: server.browser())
            #expect(byPassword["acr"] as? String == "urn:lanyard:acr:password")
            #expect(byPassword["amr"] as? [String] == ["pwd"])

            let other = server.browser()
            let page = try await other.get("/sign-in")
            _ = try await other.submit(
                page.form("/sign-in/passkey"), try authenticator.fields(try await Self.challenge(in: other)))
            let byPasskey = try await claims(of: nadia, in: other)
            #expect(byPasskey["acr"] as? String == "urn:lanyard:acr:multi-factor")
            #expect(byPasskey["amr"] as? [String] == ["swk", "user", "mfa"])
            // Who insists on a password gets the `acr` that it has asked for.
            let wish = #"{"id_token":{"acr":{"essential":true,"value":"urn:lanyard:acr:password"}}}"#
            let insisted = try await claims(of: nadia, ["claims": wish], in: other)
            #expect(insisted["acr"] as? String == "urn:lanyard:acr:password")
            #expect(insisted["amr"] as? [String] == ["swk", "user", "mfa"])
        }
    }

    @Test("a rule first reminds, and then lets nobody on who has not set one up", arguments: TestDatabase.available)
    func rule(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (maple, now) = (server.maple, server.fixed.now)
            try await server.database.write { transaction in
                try FactorRule.find(of: maple.organization.id, in: transaction).put(
                    holders: [.administrator], graceDays: 14, for: maple.organization.id, at: now, in: transaction)
            }
            let browser = server.browser()
            let reminder = try await browser.follow(
                try await server.signIn(maple.administrator.userName, in: browser))
            #expect(reminder.heading == "Set up a second way to sign in")
            #expect(reminder.body.contains("From 15 September 2026 on you cannot sign in without."))
            // They may go on until then.
            #expect(try await browser.get("/account").status == 200)
            #expect(try await server.signIn(maple.nadia.userName, in: server.browser()).location == "/")

            server.fixed.advance(by: 14 * 86_400)
            let other = server.browser()
            let page = try await other.follow(try await server.signIn(maple.administrator.userName, in: other))
            #expect(page.path.hasPrefix("/sign-in/set-up?"))
            #expect(try await other.get("/account").location.hasPrefix("/sign-in"))
            let secret = try Self.secret(on: page)
            let wrong = try await other.submit(page.form("/sign-in/set-up", with: "sealed"), ["code": "000000"])
            #expect(wrong.status == 422)
            let done = try await other.submit(
                wrong.form("/sign-in/set-up", with: "sealed"), ["code": Self.code(secret, server)])
            #expect(done.heading == "Your recovery codes" && Self.recoveryCodes(on: done).count == 10)
            #expect(try await other.get("/account").heading == "Your account")
        }
    }

    @Test("the person is told by mail when one is added, removed, or set up on the way in")
    func mails() async throws {
        try await TestServer.withMail { server in
            let (browser, teacher) = (server.browser(), server.maple.teacher)
            _ = try await server.signIn(teacher.userName, in: browser)
            _ = try await Self.setUpCodes(server, in: browser)
            let list = try await browser.get(Self.ways)
            _ = try await browser.submit(list.form("\(Self.ways)/codes/remove"))
            let (organization, now) = (server.maple.organization.id, server.fixed.now)
            try await server.database.write { transaction in
                try RoleAssignment(.administrator, at: nil).insert(
                    for: teacher.id, of: organization, at: now, in: transaction)
                try FactorRule.find(of: organization, in: transaction).put(
                    holders: [.administrator], graceDays: 0, for: organization, at: now, in: transaction)
            }
            let other = server.browser()
            let page = try await other.follow(try await server.signIn(teacher.userName, in: other))
            let code = Self.code(try Self.secret(on: page), server)
            _ = try await other.submit(page.form("/sign-in/set-up", with: "sealed"), ["code": code])
            let mails = try await server.mails()
            #expect(mails.map(\.recipient) == [String](repeating: "tara.teacher@maple.example", count: 3))
            #expect(mails.allSatisfy { $0.subject == "How you sign in to id.school.example was changed" })
            #expect(mails.allSatisfy { !$0.text.contains(code) })
        }
    }

    @Test("the page tells nothing to whoever has no right password")
    func nothingTold() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            _ = try await server.signIn(server.maple.nadia.userName, in: browser)
            _ = try await Self.setUpCodes(server, in: browser)
            let stranger = server.browser()
            #expect(try await stranger.get("/sign-in/factor?continue=%2Faccount").location == "/account")
            #expect(try await stranger.get("/sign-in/set-up?continue=%2Faccount").location == "/account")
            func words(_ userName: String) async throws -> String {
                let answer = try await server.signIn(userName, password: "wr0ng guess", in: stranger)
                return "\(answer.status) \(answer.body.contains("The user name or password is not right."))"
            }
            let (known, unknown) = (
                try await words(server.maple.nadia.userName), try await words("nobody@maple.example")
            )
            #expect(known == unknown && known == "422 true")
        }
    }

    @Test("where browsers have no passkeys, no page offers one")
    func noPasskeys() async throws {
        try await TestServer.with(configure: {
            $0 = try ServerConfiguration(baseURL: "http://127.0.0.1:8080")
            $0.port = 0
        }) { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            #expect(page.form("/sign-in") != nil && !page.body.contains("passkey"))
            let answer = try await browser.get("/passkeys/challenge")
            #expect(answer.status == 404)
        }
    }
}
