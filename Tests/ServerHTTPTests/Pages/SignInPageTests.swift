import Accounts
import Directory
import Fixtures
import Foundation
import ServerHTTP
import Storage
import Testing
import TestSupport

@testable import TestServers

@Suite struct SignInPageTests {
    @Test("a wrong password keeps the user name and says no more than that", arguments: TestDatabase.available)
    func wrongPassword(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let browser = server.browser()
            let unknown = try await server.signIn("nobody@maple.example", in: browser)
            let wrong = try await server.signIn("Ada@maple.example", password: "maple leaf 8", in: browser)
            for answer in [unknown, wrong] {
                #expect(answer.status == 422)
                #expect(answer.cookies.isEmpty)
                #expect(answer.body.contains("The user name or password is not right."))
                #expect(!answer.body.contains("maple leaf"))
            }
            #expect(wrong.body.contains(#"value="Ada@maple.example""#))
            let right = try await server.signIn(" ADA@maple.example ", in: browser)
            #expect(right.status == 303)
            #expect(try await browser.follow(right).body.contains("Ada Admin"))
        }
    }

    @Test("whose accounts there are, the page says; whether new ones can be made is another matter")
    func whoseAccounts() async throws {
        for canBeMade in [true, false] {
            try await TestServer.with(configure: { $0.personalAccounts = canBeMade }) { server in
                for exists in [true, false] {
                    if !exists { try await server.deactivatePersonalAccounts() }
                    let page = try await server.browser().get("/sign-in")
                    #expect(page.body.contains("Use your personal account, or") == exists)
                    #expect(page.body.contains("Use the account that your organization gave you.") == !exists)
                    #expect(page.link("Create a personal account") == nil)
                }
            }
        }
    }

    @Test("a roster is connected with an account of its organization, the test school with a developer’s own")
    func connecting() async throws {
        try await TestServer.withMail { server in
            func page(_ scope: String) async throws -> Answer {
                let browser = server.browser()
                return try await browser.follow(browser.get(server.authorizePath(server.quizzler, scope: scope)))
            }
            let real = try await page(TestServer.bothScopes)
            #expect(real.body.contains("Use the account that your organization gave you."))
            #expect(real.link("Forgotten your password?") == nil)
            let test = try await page(TestServer.testScope)
            #expect(test.body.contains("Use your personal account, or"))
            #expect(test.link("Forgotten your password?") != nil)
            for page in [real, test] { #expect(page.link("Create a personal account") == nil) }
        }
    }

    @Test("after a wrong password the page still says which app waits")
    func wrongPasswordForAnApp() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await browser.follow(browser.get(server.authorizePath(server.quizzler)))
            let wrong = try await server.signIn("ada@maple.example", password: "wrong", on: page, in: browser)
            #expect(wrong.status == 422)
            #expect(wrong.heading == page.heading)
            #expect(page.heading?.contains("Quizzler") == true)
            // Another browser does not learn it from the address.
            let stranger = server.browser()
            let form = try await stranger.get("/sign-in?continue=\(Browser.escape(page.path))").form("/sign-in")
            let other = try await stranger.submit(form, ["username": "ada@maple.example", "password": "wrong"])
            #expect(other.heading?.contains("Quizzler") == false)
        }
    }

    private func passwordSignIn(_ server: TestServer) -> PasswordSignIn {
        let surroundings = server.fixed.surroundings
        return PasswordSignIn(
            database: server.database, hasher: PasswordHasher(cost: .low, surroundings: surroundings),
            surroundings: surroundings)
    }

    @Test("a temporary password leads by way of a new one to the consent page", arguments: TestDatabase.available)
    func temporaryPassword(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, ada) = (server.browser(), server.maple.administrator)
            let password = try await passwordSignIn(server).issueTemporaryPassword(
                for: ada, by: .operator, origin: .commandLine)
            let page = try await browser.follow(browser.get(server.authorizePath(server.quizzler)))
            let change = try await browser.follow(
                server.signIn(ada.userName, password: password, on: page, in: browser))
            #expect(change.path.hasPrefix("/change-password?continue="))

            // No way around: neither by the address of the consent page nor by its form.
            let around = try await browser.get(page.path)
            #expect(around.location == change.path)
            let forced = try await browser.post(
                page.path, ["csrf_token": try #require(change.forms.first?.fields["csrf_token"]), "decision": "allow"])
            #expect(forced.location == page.path)

            for (candidate, status) in [(password, 422), ("short1", 422), ("onlyletters", 422), ("qwerty123", 422)] {
                let refused = try await browser.submit(change.form("/change-password"), ["new_password": candidate])
                #expect(refused.status == status)
            }
            let changed = try await browser.submit(change.form("/change-password"), ["new_password": "oak leaf 99"])
            #expect(changed.location == page.path)
            let consent = try await browser.follow(changed)
            let allowed = try await browser.submit(consent.form("/connect/"), ["decision": "allow"])
            #expect(allowed.redirectParameters["code"] != nil)
            let old = try await server.signIn(ada.userName, password: password, in: server.browser())
            #expect(old.status == 422)
        }
    }

    @Test("a temporary password leads by way of a new one to an app that knows the person, without another page")
    func temporaryPasswordForAnApp() async throws {
        try await TestServer.with { server in
            let (browser, ben) = (server.browser(), server.maple.ben)
            _ = try await server.answer(server.signInPath(server.quizzler), as: ben)
            let password = try await passwordSignIn(server).issueTemporaryPassword(
                for: ben, by: .operator, origin: .commandLine)
            let page = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            let change = try await browser.follow(
                server.signIn(ben.userName, password: password, on: page, in: browser))
            let done = try await browser.submit(change.form("/change-password"), ["new_password": "oak leaf 99"])
            #expect(done.location == page.path)
            #expect(try await browser.follow(done).carried?["code"] != nil)
        }
    }

    @Test("the temporary password is good for ninety days")
    func expiredTemporaryPassword() async throws {
        try await TestServer.with { server in
            let password = try await passwordSignIn(server).issueTemporaryPassword(
                for: server.maple.ben, by: .operator, origin: .commandLine)
            server.fixed.advance(by: 90 * 86_400)
            let answer = try await server.signIn(server.maple.ben.userName, password: password, in: server.browser())
            #expect(answer.status == 422)
            #expect(!answer.body.contains("The user name or password is not right."))
        }
    }

    @Test("a temporary password that was replaced leads back to sign-in")
    func replacedTemporaryPassword() async throws {
        try await TestServer.with { server in
            let (browser, ben) = (server.browser(), server.maple.ben)
            let seen = try await passwordSignIn(server).issueTemporaryPassword(
                for: ben, by: .operator, origin: .commandLine)
            let change = try await browser.follow(server.signIn(ben.userName, password: seen, in: browser))
            let fresh = try await passwordSignIn(server).issueTemporaryPassword(
                for: ben, by: .operator, origin: .commandLine)
            let answer = try await browser.submit(change.form("/change-password"), ["new_password": "oak leaf 99"])
            #expect(try await browser.follow(answer).form("/sign-in") != nil)
            #expect(try await server.signIn(ben.userName, password: fresh, in: server.browser()).status == 303)
        }
    }

    @Test("who has a password of their own cannot change it here")
    func ownPassword() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            let page = try await browser.get("/change-password?continue=%2Faccount")
            #expect(page.status == 303 && page.location == "/account")
            let token = try #require(try await browser.get("/account").form("/sign-out")?.fields["csrf_token"])
            let answer = try await browser.post(
                "/change-password", ["csrf_token": token, "new_password": "oak leaf 99"])
            #expect(answer.status == 303)
            #expect(try await server.signIn("ada@maple.example", in: server.browser()).status == 303)
        }
    }

    @Test("sign-in, sign-out and the language switch never lead to another site")
    func openRedirects() async throws {
        try await TestServer.with { server in
            for target in ["//evil.example", "/\\evil.example", "https://evil.example/"] {
                let browser = server.browser()
                let form = try #require(
                    try await browser.get("/sign-in?continue=\(Browser.escape(target))").form("/sign-in"))
                #expect(form.fields["continue"] == "/")
                let signedIn = try await browser.submit(
                    form, ["username": "ada@maple.example", "password": District.password, "continue": target])
                #expect(signedIn.location == "/")
                let home = try await browser.follow(signedIn)
                let language = try await browser.submit(
                    home.form("/language"), ["language": "ja", "return_to": target])
                #expect(language.location == "/")
                let out = try await browser.submit(home.form("/sign-out"), ["continue": target])
                #expect(out.location == "/")
            }
        }
    }

    @Test("a session ends after twelve hours, with sign-out, and with deactivation")
    func sessions() async throws {
        try await TestServer.with { server in
            let (browser, maple) = (server.browser(), server.maple)
            try await server.signIn(maple.siteManager.userName, in: browser)
            try await server.database.write { try $0.execute("UPDATE browser_session SET idle_until = expires_at") }
            server.fixed.advance(by: 12 * 3_600 - 1)
            #expect(try await browser.get("/account").body.contains("Sam Site"))
            server.fixed.advance(by: 1)
            #expect(try await browser.get("/").form("/sign-in") != nil)

            try await server.signIn(maple.siteManager.userName, in: browser)
            let cookies = browser.cookies
            let home = try await browser.get("/account")
            let out = try await browser.submit(home.form("/sign-out"))
            #expect(out.location == "/signed-out")
            #expect(try await browser.follow(out).heading == "You are signed out")
            browser.cookies = cookies
            #expect(try await browser.get("/").form("/sign-in") != nil)

            try await server.signIn(maple.siteManager.userName, in: browser)
            let now = server.fixed.now
            try await server.database.write { try maple.siteManager.deactivate(at: now, in: $0) }
            #expect(try await browser.get("/").form("/sign-in") != nil)
            #expect(try await server.signIn(maple.siteManager.userName, in: browser).status == 422)
        }
    }

    @Test("a session is a new one after each sign-in")
    func fixation() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("ben@maple.example", in: browser)
            let first = browser.cookies
            try await server.signIn("ada@maple.example", in: browser)
            let name = "__Host-lanyard-session"
            #expect(first[name] != nil && browser.cookies[name] != first[name])
            // The old one is dead, not only forgotten by this browser.
            browser.cookies = first
            #expect(try await browser.get("/").form("/sign-in") != nil)
        }
    }

    @Test("the language is the person's choice, then the browser's, then English")
    func language() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            #expect(try await browser.get("/sign-in")["Content-Language"] == "en")
            let korean = try await browser.get("/sign-in?continue=%2Fsigned-out", ["Accept-Language": "ko-KR,en;q=0.5"])
            #expect(korean["Content-Language"] == "ko")
            #expect(korean.body.contains(#"<html lang="ko""#))
            let chosen = try await browser.submit(korean.form("/language"), ["language": "ja"])
            #expect(chosen.location == "/sign-in?continue=%2Fsigned-out")
            #expect(try await browser.get("/sign-in", ["Accept-Language": "ko"])["Content-Language"] == "ja")
            #expect(try await browser.submit(korean.form("/language"), ["language": "tlh"]).status == 404)
            // The page of that error offers the languages too, and its own address is the form's.
            for path in ["/language", "/sign-out"] { #expect(try await browser.get(path).location == "/") }
        }
    }
}
