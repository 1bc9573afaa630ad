import NIOHTTP1
import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct AccountPageTests {
    @Test("whoever is signed in sees the account page, also at the start page; others sign in first")
    func shown() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            for path in ["/account", "/account/password", "/account/name", "/account/email", "/account/delete"] {
                let asked = try await browser.get(path)
                let escaped = path.replacingOccurrences(of: "/", with: "%2F")
                #expect(asked.status == 303 && asked.location == "/sign-in?continue=\(escaped)")
            }
            let page = try await browser.follow(browser.get("/account"))
            let signedIn = try await server.signIn(server.maple.teacher.userName, on: page, in: browser)
            #expect(signedIn.location == "/account")
            let answer = try await browser.get("/account")
            #expect(answer.heading == "Your account")
            #expect(answer.body.contains("Tara Teacher"))
            #expect(answer.body.contains(try sentence("welcome.belongs", ["organization": "Maple District"])))
            #expect(answer["Cross-Origin-Opener-Policy"] == "same-origin")
            // Whoever looks after something begins in the console, and comes there from the account page.
            #expect(try await browser.get("/").location == "/manager")
            #expect(answer.link(try sentence("account.console", ["organization": "Maple District"])) == "/manager")
        }
    }

    @Test("password managers find where a password is changed (pages 4)")
    func wellKnown() async throws {
        try await TestServer.with { server in
            let found = try await server.browser().get("/.well-known/change-password")
            #expect(found.status == 303 && found.location == "/account/password")
        }
    }

    @Test("a managed account has nothing to edit but the password", arguments: ["name", "email", "delete"])
    func managed(_ page: String) async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            try await server.signIn(server.maple.teacher.userName, in: browser)
            let account = try await browser.get("/account")
            #expect(!account.body.contains("/account/\(page)"))
            #expect(account.link("Change password") == "/account/password")
            #expect(try await browser.get("/account/\(page)").status == 404)
            let token = try #require(account.form("/language")?.fields["csrf_token"])
            let fields = [
                "csrf_token": token, "given_name": "A", "family_name": "B", "email": "new@home.example",
                "current_password": District.password, "confirmation": server.maple.teacher.email ?? "",
            ]
            #expect(try await browser.post("/account/\(page)", fields).status == 404)
            #expect(try await browser.get("/account").body.contains("Tara Teacher"))
        }
    }

    @Test("every form of the account page wants its token")
    func forgery() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            _ = try await server.signUp(in: browser)
            for path in [
                "/account/password", "/account/name", "/account/email", "/account/delete", "/account/apps/1/stop",
                "/account/hidden-addresses/1", "/account/sessions/x/sign-out", "/account/sessions/sign-out-others",
            ] {
                for token in ["", "x"] {
                    let answer = try await browser.post(
                        path, ["csrf_token": token, "confirmation": "nora@home.example"])
                    #expect(answer.status == 400, "\(path)")
                }
            }
            #expect(try await browser.get("/account").body.contains("Nora Lind"))
        }
    }

    @Test(
        "sessions are named by their device; each can be ended, and all others at once",
        arguments: TestDatabase.available)
    func sessions(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let (own, phone, stranger) = (server.browser(), server.browser(), server.browser())
            let (desk, lab) = (server.browser(), server.browser())
            let iPhone =
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Safari/604.1"
            let form = try #require(try await phone.get("/sign-in").form("/sign-in"))
            _ = try await phone.send(
                .POST, "/sign-in",
                ["Content-Type": "application/x-www-form-urlencoded", "User-Agent": iPhone],
                body: Browser.encode(
                    form.fields.merging(["username": "tara@maple.example", "password": District.password]) { $1 }
                        .map { $0 }))
            server.fixed.advance(by: 60)
            for browser in [own, desk, lab] { try await server.signIn("tara@maple.example", in: browser) }
            try await server.signIn("ada@maple.example", in: stranger)

            let page = try await own.get("/account")
            #expect(page.body.contains("Safari on iPhone"))
            let ends = page.forms.filter {
                $0.action.hasPrefix("/account/sessions/") && $0.action.hasSuffix("/sign-out")
            }
            // The phone, and a row for those that say nothing of themselves.
            #expect(ends.count == 2)
            // The address of somebody else's session ends nothing.
            let foreign = try await stranger.get("/account")
            try await stranger.post(
                ends[0].action, ["csrf_token": foreign.form("/language")?.fields["csrf_token"] ?? ""])
            #expect(try await phone.get("/account").status == 200)
            #expect(try await desk.get("/account").status == 200)

            // The oldest is the last: the phone.
            let ended = try await own.submit(ends.last)
            #expect(ended.location == "/account?done=signed-out")
            #expect(try await own.follow(ended).body.contains("That device is signed out."))
            #expect(try await phone.get("/account").status == 303)
            #expect(try await desk.get("/account").status == 200)

            let others = try await own.submit(own.get("/account").form("/account/sessions/sign-out-others"))
            #expect(try await own.follow(others).body.contains("You are signed out everywhere else."))
            for browser in [desk, lab] { #expect(try await browser.get("/account").status == 303) }
            #expect(try await stranger.get("/account").status == 200)
            #expect(try await own.get("/account").form("/account/sessions/") == nil)
            let told = try await server.audit(of: server.maple.organization.id).filter { $0.hasPrefix("sign-out") }
            #expect(told == ["sign-out done 1 other browser", "sign-out done 2 other browsers"])

            let out = try await own.submit(own.get("/account").form("/sign-out"))
            #expect(out.location == "/signed-out")
            #expect(try await own.get("/account").status == 303)
        }
    }

    @Test(
        "the password is changed with the current one; other browsers are out, and strangers again, and a mail tells of it"
    )
    func password() async throws {
        try await TestServer.withMail { server in
            let (browser, other) = (server.browser(), server.browser())
            for each in [browser, other] { try await server.signIn("tara@maple.example", in: each) }
            let page = try await browser.get("/account/password")
            func change(_ current: String, to new: String) async throws -> Answer {
                try await browser.submit(
                    page.form("/account/password"), ["current_password": current, "new_password": new])
            }
            let wrong = try await change("oak leaf 7", to: "oak leaf 99")
            #expect(try wrong.status == 422 && wrong.body.contains(sentence("password.wrongCurrent")))
            #expect(try await change(District.password, to: "short").body.contains("This password is too short"))
            for (weak, reason) in [
                ("password1", "among the first that somebody would try"), ("Tara-2026", "is a name of yours"),
                ("maple2026", "is a name of yours"), ("a1a1a1a1", "repeats itself"),
            ] {
                #expect(try await change(District.password, to: weak).body.contains(reason), "\(weak)")
            }
            #expect(try await change(District.password, to: District.password).body.contains("This is your current"))
            let known = browser.cookies["__Host-lanyard-known"]
            let changed = try await change(District.password, to: "oak leaf 99")
            #expect(changed.location == "/account?done=password")
            #expect(try await browser.follow(changed).body.contains("Your password is changed."))
            #expect(browser.cookies["__Host-lanyard-known"] != known)
            #expect(try await other.get("/account").status == 303)
            let (id, database) = (server.maple.teacher.id, server.database)
            let count = try await database.read { try KnownBrowser.count(of: id, in: $0) }
            #expect(count == 1)
            let mails = try await server.mails()
            #expect(
                mails.map { "\($0.recipient): \($0.subject)" }
                    == ["tara.teacher@maple.example: Your password at id.school.example was changed"])
        }
    }

    @Test("whoever sits at somebody else's browser has five guesses an hour", arguments: TestDatabase.available)
    func guesses(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let (browser, own) = (server.browser(), server.browser())
            for each in [browser, own] { try await server.signIn("tara@maple.example", in: each) }
            let form = try await browser.get("/account/password").form("/account/password")
            let fields = ["new_password": "oak leaf 99", "current_password": "wrong"]
            let statuses = await concurrently(0..<20) { _ in (try? await browser.submit(form, fields).status) ?? 0 }
            #expect(statuses.filter { $0 == 422 }.count == 5 && statuses.filter { $0 == 429 }.count == 15)
            let right = fields.merging(["current_password": District.password]) { $1 }
            let refused = try await browser.submit(form, right)
            #expect(refused.status == 429 && refused.body.contains("Wait 60 minutes"))
            // The owner is not kept waiting, here or at the sign-in.
            try await server.signIn("tara@maple.example", in: server.browser())
            server.fixed.advance(by: 3_600)
            #expect(try await browser.submit(form, right).status == 303)
        }
    }
}
