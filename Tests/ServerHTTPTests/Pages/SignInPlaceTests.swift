import Accounts
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// Whose sign-in page it is, and what it says on the way.
@Suite struct SignInPlaceTests {
    private func page(_ server: TestServer, _ path: String) async throws -> Answer {
        let browser = server.browser()
        return try await browser.follow(browser.get(path))
    }

    @Test("login_hint names a domain, and the page its organization; no other hint tells anything (pages 3.1)")
    func hint() async throws {
        try await TestServer.with { server in
            let plain = try await page(server, server.standardPath(server.quizzler))
            #expect(!plain.body.contains("District"))
            let hinted = try await page(
                server, server.standardPath(server.quizzler, scope: "openid", ["login_hint": "x@Maple.example"]))
            #expect(hinted.body.contains("<bdi>Maple District</bdi>"))
            for hint in ["maple.example", "x@old-maple.example", "x@nowhere.example", "x@", "@", "Maple District"] {
                let page = try await page(
                    server, server.standardPath(server.quizzler, scope: "openid", ["login_hint": hint]))
                #expect(page.status == 200 && !page.body.contains("<bdi>Maple District"), "\(hint)")
            }
        }
    }

    @Test("a server with one organization says whose it is; with several it tells none (pages 3.1)")
    func only() async throws {
        try await TestServer.with { server in
            let several = try await page(server, "/")
            #expect(!several.body.contains("District"))
        }
        try await TestDatabase.sqlite.with { database in
            let now = Date(timeIntervalSince1970: 1_790_000_000)
            let (first, second) = try await database.write { transaction in
                let organization = try Organization.insert(name: "Maple", kind: .school, at: now, in: transaction)
                let alone = try Organization.only(in: transaction)
                _ = try Organization.insert(name: "Oak", kind: .school, at: now, in: transaction)
                return (alone?.id == organization.id, try Organization.only(in: transaction) == nil)
            }
            #expect(first && second)
        }
    }

    @Test("the colour that an organization has chosen is kept", arguments: TestDatabase.available)
    func colour(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let now = Date(timeIntervalSince1970: 1_790_000_000)
            let colours = try await database.write { transaction in
                let organization = try Organization.insert(name: "Maple", kind: .school, at: now, in: transaction)
                try organization.put(colour: .plum, in: transaction)
                return (organization.colour, try Organization.find(organization.id, in: transaction)?.colour)
            }
            #expect(colours.0 == nil && colours.1 == .plum)
        }
    }

    @Test("where nobody has a personal account and nobody can make one, no page speaks of them")
    func personal() async throws {
        try await TestServer.with { server in
            // The developer of the scene has one.
            #expect(try await page(server, "/").body.contains("Use your personal account, or"))
            try await server.deactivatePersonalAccounts()
            let without = try await page(server, "/")
            #expect(!without.body.contains("personal") && !without.body.contains("User name or email address"))
        }
        try await TestServer.withMail { server in
            let withMail = try await page(server, "/")
            #expect(withMail.body.contains("Use your personal account, or"))
        }
    }

    @Test("to connect an app, nobody is led to the page that replaces passwords of personal accounts")
    func forgotten() async throws {
        try await TestServer.withMail { server in
            let connecting = try await page(server, server.authorizePath(server.quizzler))
            #expect(connecting.link("Forgotten your password?") == nil)
            #expect(connecting.body.contains("Ask whoever gave you your account for a new one."))
            #expect(try await page(server, "/sign-in").link("Forgotten your password?") != nil)
        }
    }

    @Test("whoever is signed in sees no empty sign-in page")
    func signedIn() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            #expect(try await browser.get("/sign-in").location == "/")
            #expect(try await browser.get("/sign-in?continue=%2Faccount").location == "/account")
            #expect(try await browser.get("/sign-in?continue=%2F%2Fevil.example").location == "/")
        }
    }

    @Test("another language keeps what was typed and what was wrong, once")
    func language() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            let signUp = try await browser.get("/sign-up")
            let wrong = try await browser.submit(
                signUp.form("/sign-up"),
                ["given_name": "Nora", "family_name": "Lind", "email": "nora", "new_password": "oak leaf 99"])
            #expect(wrong.status == 422)
            let switched = try await browser.submit(wrong.form("/language"), ["language": "ja"])
            let japanese = try await browser.follow(switched)
            #expect(japanese.body.contains(#"value="Nora""#) && japanese.body.contains(#"value="nora""#))
            #expect(japanese.body.contains("メールアドレスを入力してください。"))
            #expect(!japanese.body.contains("oak leaf"))
            #expect(try await !browser.get(japanese.path).body.contains(#"value="Nora""#))

            let other = server.browser()
            let refused = try await server.signIn("ada@maple.example", password: "wrong", in: other)
            let korean = try await other.follow(other.submit(refused.form("/language"), ["language": "ko"]))
            #expect(korean.body.contains(#"value="ada@maple.example""#))
            #expect(korean.body.contains("사용자 이름 또는 암호가 올바르지 않습니다."))
        }
    }

    @Test("a form of an earlier visit comes again with a word about it, and what was typed")
    func stale() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            let answer = try await browser.submit(
                page.form("/sign-in"),
                ["csrf_token": "x", "username": "ada@maple.example", "password": District.password],
                ["Sec-Fetch-Site": "same-origin"])
            #expect(answer.status == 303)
            let again = try await browser.follow(answer)
            #expect(again.body.contains("This page was from an earlier visit. Nothing was changed. Try again."))
            #expect(again.body.contains(#"value="ada@maple.example""#))
            #expect(!again.body.contains(District.password))
            let foreign = try await browser.submit(page.form("/sign-in"), ["csrf_token": "x"])
            #expect(foreign.status == 400 && foreign.body.contains("you may have signed in or out since"))
        }
    }

    @Test("many sessions of one kind are one row, which tells the last use, and one button ends them (pages 3.3)")
    func sessions() async throws {
        try await TestServer.with { server in
            let own = server.browser()
            let others = [server.browser(), server.browser(), server.browser()]
            for browser in others + [own] { try await server.signIn("tara@maple.example", in: browser) }
            server.fixed.advance(by: 5_400)
            #expect(try await own.get("/account").body.contains("<span>Signed in 1 hour ago</span>"))
            // Half an hour ago somebody did something in each.
            try await server.database.write {
                try $0.execute("UPDATE browser_session SET idle_until = idle_until + 3600")
            }
            let page = try await own.get("/account")
            #expect(page.body.contains("<span>Used in the last hour</span>"))
            let ends = page.forms.filter {
                $0.action.hasPrefix("/account/sessions/") && $0.action.hasSuffix("/sign-out")
            }
            #expect(ends.count == 1 && page.body.contains("× 3"))
            #expect(try await own.submit(ends.first).location == "/account?done=signed-out")
            for browser in others { #expect(try await browser.get("/account").status == 303) }
            #expect(try await own.get("/account").status == 200)
        }
    }
}
