import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct ForgotPasswordPageTests {
    @Test(
        "a forgotten password is replaced, and the person goes on to the app that waits",
        arguments: TestDatabase.available)
    func wholeWay(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let maria = try await server.addPersonal()
            let elsewhere = server.browser()
            _ = try await server.answer(server.signInPath(server.quizzler), as: maria, in: elsewhere)
            #expect(try await elsewhere.get("/account").body.contains("Maria Ruiz"))

            let browser = server.browser()
            let signIn = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            let page = try await browser.get(try #require(signIn.link("Forgotten your password?")))
            let asked = try await browser.submit(page.form("/forgot-password"), ["email": " Maria@home.example "])
            let verify = try await browser.follow(asked)
            let entered = try await browser.submit(verify.form("/verify-email/"), ["code": server.mailedCode()])
            let new = try await browser.follow(entered)
            #expect(new.heading == "Choose a new password")
            // The way on may end at the app, which the policy of the page must not forbid.
            #expect(new["Content-Security-Policy"]?.contains("form-action") == false)
            let weak = try await browser.submit(new.form("/forgot-password/"), ["new_password": "short"])
            #expect(weak.status == 422 && weak.body.contains("This password is too short"))
            let done = try await browser.submit(new.form("/forgot-password/"), ["new_password": "oak leaf 99"])
            #expect(done.location == signIn.path)
            // The app knows the person, who has just shown who they are: no page is needed.
            #expect(try await browser.follow(done).carried?["code"] != nil)

            #expect(try await elsewhere.get("/account").location.hasPrefix("/sign-in"))
            #expect(try await server.mails().last?.subject == "Your password at id.school.example was changed")
            #expect(
                try await server.signIn("maria@home.example", password: "oak leaf 99", in: server.browser()).status
                    == 303)
            // Neither page is of use any more.
            for path in [verify.path, new.path] { #expect(try await browser.get(path).status == 400) }
        }
    }

    @Test("the page for a new password opens with the code alone")
    func needsCode() async throws {
        try await TestServer.withMail { server in
            _ = try await server.addPersonal()
            let browser = server.browser()
            let page = try await browser.get("/forgot-password")
            let verify = try await browser.follow(
                browser.submit(page.form("/forgot-password"), ["email": "maria@home.example"]))
            let path = verify.path.replacing("verify-email", with: "forgot-password")
            #expect(try await browser.get(path).status == 400)
            let token = try #require(verify.form("/verify-email/")?.fields["csrf_token"])
            #expect(
                try await browser.post(path, ["csrf_token": token, "new_password": "oak leaf 99"]).status == 400)
            #expect(try await server.signIn("maria@home.example", in: server.browser()).status == 303)
        }
    }

    @Test("who has a managed account is told whom to ask, in a mail")
    func managed() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            let page = try await browser.get("/forgot-password")
            _ = try await browser.submit(page.form("/forgot-password"), ["email": server.maple.nadia.userName])
            let mail = try #require(try await server.mails().last)
            #expect(mail.recipient == server.maple.nadia.email)
            #expect(mail.text.contains("Your account belongs to Maple District; ask whoever gave it to you"))
        }
    }
}
