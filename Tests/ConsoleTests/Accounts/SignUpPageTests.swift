import Accounts
import ServerHTTP
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct SignUpPageTests {
    @Test(
        "from an app to a new account and on to the app, with a code from the mail", arguments: TestDatabase.available)
    func wholeWay(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let browser = server.browser()
            let signIn = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            let page = try await browser.get(try #require(signIn.link("Create a personal account")))
            #expect(page.heading == "Create a personal account")
            let verify = try await server.apply(page, in: browser)
            #expect(verify.heading == "Enter the code from your email")
            #expect(verify.body.contains("nora@home.example"))
            let mail = try #require(try await server.mails().first)
            #expect(mail.recipient == "nora@home.example")
            #expect(mail.subject.hasSuffix("is your verification code for id.school.example"))
            #expect(mail.text.contains("for id.school.example") && mail.language == "en")

            let before = browser.cookies
            let wrong = try await browser.submit(verify.form("/verify-email/"), ["code": server.wrongCode()])
            #expect(wrong.status == 422 && wrong.body.contains("You can try 4 more times."))
            let right = try await browser.submit(verify.form("/verify-email/"), ["code": server.mailedCode()])
            #expect(right.status == 303 && right.location == signIn.path)
            #expect(browser.cookies["__Host-lanyard-session"] != nil && before["__Host-lanyard-session"] == nil)
            #expect(browser.cookies["__Host-lanyard-known"] != nil)
            let create = try await browser.follow(right)
            #expect(create.heading == "Create your Quizzler account")
            #expect(create.body.contains("nora@home.example"))
        }
    }

    @Test("nothing on the way tells whether an address has an account")
    func discreet() async throws {
        try await TestServer.withMail { server in
            _ = try await server.addPersonal()
            func pages(_ email: String) async throws -> [String] {
                let browser = server.browser()
                let page = try await server.apply(try await browser.get("/sign-up"), ["email": email], in: browser)
                let wrong = try await browser.submit(page.form("/verify-email/"), ["code": "000001"])
                let again = try await browser.submit(page.form("\(page.path)/again"))
                let forgot = try await browser.get("/forgot-password")
                let asked = try await browser.submit(forgot.form("/forgot-password"), ["email": email])
                let reset = try await browser.follow(asked)
                return [page, wrong, again, reset].map { answer in
                    "\(answer.status) \(answer.body) \(answer.headers.map(\.name))"
                        .replacing(/verify-email\/[\w-]{43}/, with: "").replacing(/value="[\w-]{43}"/, with: "")
                        .replacingOccurrences(of: email, with: "…")
                }
            }
            let (known, unknown) = (try await pages("maria@home.example"), try await pages("lucia@home.example"))
            #expect(known == unknown)
            let mails = try await server.mails().map { mail in
                let subject = mail.subject.replacing(/[0-9]{6}/, with: "000000")
                return "\(mail.recipient): \(subject)"
            }
            let code = "000000 is your verification code for id.school.example"
            #expect(
                mails == [
                    "maria@home.example: You already have an account at id.school.example",
                    "maria@home.example: You already have an account at id.school.example",
                    "maria@home.example: \(code)", "lucia@home.example: \(code)", "lucia@home.example: \(code)",
                ])
        }
    }

    @Test("what was typed is kept beside what is wrong with it, but for the password")
    func problems() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-up?continue=%2Faccount")
            let refused = try await server.apply(
                page,
                ["given_name": "<i>Nora", "family_name": " ", "email": "new@maple.example", "new_password": "secret"],
                in: browser)
            #expect(refused.status == 422)
            for text in [
                "&lt;i&gt;Nora", "new@maple.example", "Enter your family name",
                "This address belongs to an organization",
                "This password is too short",
            ] {
                #expect(refused.body.contains(text), "\(text)")
            }
            #expect(!refused.body.contains("secret"))
            #expect(refused.form("/sign-up")?.fields["continue"] == "/account")
            #expect(try await server.mails().isEmpty)
        }
    }

    @Test("too many codes for one address are answered with 429, and say how long to wait")
    func mustWait() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-up")
            for _ in 0..<5 { _ = try await server.apply(page, in: browser) }
            let refused = try await server.apply(page, in: browser)
            #expect(refused.status == 429 && refused["Retry-After"] == "3600")
            #expect(refused.body.contains("Wait 60 minutes"))
            let forgot = try await browser.get("/forgot-password")
            let also = try await browser.submit(forgot.form("/forgot-password"), ["email": "NORA@home.example"])
            #expect(also.status == 429)
            #expect(try await server.mails().count == 5)
        }
    }

    @Test("sign-up is there only with mail, and unless it was turned off")
    func offered() async throws {
        try await TestServer.with { server in
            let page = try await server.browser().get("/sign-in")
            #expect(page.link("Create a personal account") == nil && page.link("Forgotten your password?") == nil)
            for path in ["/sign-up", "/forgot-password", "/verify-email/x", "/account/email"] {
                #expect(try await server.browser().get(path).status == 404, "\(path)")
            }
        }
        try await TestServer.withMail(configure: { $0.personalAccounts = false }) { server in
            let page = try await server.browser().get("/sign-in")
            #expect(page.link("Create a personal account") == nil)
            // The developer of the scene has an account, and may have forgotten its password.
            let forgotten = try #require(page.link("Forgotten your password?"))
            #expect(try await server.browser().get(forgotten).status == 200)
            #expect(try await server.browser().get("/sign-up").status == 404)
            // Where everybody's account was given to them, the page says whom to ask.
            try await server.deactivatePersonalAccounts()
            let managed = try await server.browser().get("/sign-in")
            #expect(managed.link("Forgotten your password?") == nil)
            #expect(managed.body.contains("Forgotten your password? Ask whoever gave you your account for a new one."))
        }
        try await TestServer.withMail { server in
            // A roster is connected with a managed account.
            let browser = server.browser()
            let page = try await browser.follow(browser.get(server.authorizePath(server.quizzler)))
            #expect(page.link("Create a personal account") == nil)
            #expect(page.link("Forgotten your password?") == nil)
            #expect(try await browser.get("/sign-in").link("Forgotten your password?") != nil)
        }
    }

    @Test("a code is of use in the browser that asked for it alone, and never leads to another site")
    func bound() async throws {
        try await TestServer.withMail { server in
            let (browser, other) = (server.browser(), server.browser())
            let page = try await browser.get("/sign-up?continue=https%3A%2F%2Fevil.example")
            let verify = try await server.apply(page, ["continue": "//evil.example"], in: browser)
            #expect(try await other.get(verify.path).status == 400)
            let token = try #require(try await other.get("/sign-in").form("/sign-in")?.fields["csrf_token"])
            let code = try await server.mailedCode()
            #expect(try await other.post(verify.path, ["csrf_token": token, "code": code]).status == 400)
            for path in ["/sign-up", "/forgot-password", verify.path, "\(verify.path)/again"] {
                #expect(try await browser.post(path, ["csrf_token": token, "code": code]).status == 400, "\(path)")
            }
            let entered = try await browser.submit(verify.form("/verify-email/"), ["code": code])
            #expect(entered.location == "/")
            #expect(try await browser.get(verify.path).status == 400)
        }
    }

    @Test("a new code replaces the old one, and mails are in the language of the page")
    func again() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-up", ["Accept-Language": "ko"])
            try await browser.submit(page.form("/language"), ["language": "ja"])
            let verify = try await server.apply(page, in: browser)
            let old = try await server.mailedCode()
            let sent = try await browser.submit(verify.form("\(verify.path)/again"))
            let again = try await browser.follow(sent)
            #expect(again.body.contains("新しいコードを送りました。"))
            let mails = try await server.mails()
            #expect(mails.allSatisfy { $0.subject.hasPrefix("id.school.exampleの確認コード：") })
            #expect(mails.map(\.language) == ["ja", "ja"])
            #expect(try await browser.submit(again.form("/verify-email/"), ["code": old]).status == 422)
            #expect(try await browser.submit(again.form("/verify-email/"), ["code": server.mailedCode()]).status == 303)
        }
    }
}
