import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing

@testable import TestServers

/// Forms that come from elsewhere.
@Suite struct ForgeryTests {
    @Test("a form without, or with another browser's, token is refused, and nothing changes")
    func tokens() async throws {
        try await TestServer.with { server in
            let (browser, other) = (server.browser(), server.browser())
            try await server.signIn("ada@maple.example", in: browser)
            let foreign = try #require(try await other.get("/sign-in").form("/sign-in")?.fields["csrf_token"])
            let own = try #require(try await browser.get("/account").form("/sign-out")?.fields["csrf_token"])
            let before = browser.cookies
            let consent = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            for path in ["/sign-in", "/sign-out", "/language", "/change-password", "/invitation/x", consent.path] {
                for token in ["", "x", foreign, own + "A", String(own.dropLast()), own.uppercased()] {
                    let fields = [
                        "csrf_token": token, "username": "ben@maple.example", "password": District.password,
                        "language": "ja", "decision": "allow",
                    ]
                    let answer = try await browser.post(path, fields)
                    #expect(answer.status == 400, "\(path)")
                    #expect(answer.heading == "This page has expired")
                    #expect(browser.cookies == before)
                }
            }
            #expect(try await browser.get("/account").body.contains("Ada Admin"))
            #expect(try await consents(server) == 0)
            // Each of them would have been taken with the right token.
            #expect(try await browser.submit(consent.form("/connect/"), ["decision": "allow"]).status == 302)
            #expect(try await consents(server) == 1)
        }
    }

    private func consents(_ server: TestServer) async throws -> Int {
        try await server.audit(of: server.maple.organization.id).count { $0.hasPrefix("consent.granted") }
    }

    @Test("a cookie of nearly our name is not ours, nor is one of two with our name")
    func neighbouringCookies() async throws {
        try await TestServer.with { server in
            // What an attacker knows: a secret of a browser of their own, and the token that goes with it.
            let attacker = server.browser()
            let token = try #require(try await attacker.get("/sign-in").form("/sign-in")?.fields["csrf_token"])
            let secret = try #require(attacker.cookies["__Host-lanyard-browser"])
            let body = Browser.encode([("csrf_token", token), ("language", "ja"), ("return_to", "/")])
            func post(_ cookies: String) async throws -> String {
                try await RawConnection.exchange(
                    """
                    POST /language HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\n\(cookies)\r\n\(body)
                    """, port: server.port)
            }
            let own = "__Host-lanyard-browser=\(secret)"
            for cookies in [
                "Cookie: \u{2000}\(own)\r\n", "Cookie: \u{a0}\(own)\r\n", "Cookie: a=b; \u{3000}\(own)\r\n",
                "Cookie: \(own); \(own)x\r\n", "Cookie: \(own)\r\nCookie: __Host-lanyard-browser=x\r\n",
            ] {
                #expect(try await post(cookies).hasPrefix("HTTP/1.1 400 "), "\(cookies)")
            }
            #expect(try await post("Cookie: a=b;\t \(own); c=d\r\n").hasPrefix("HTTP/1.1 303 "))
        }
    }

    @Test("the token of a page from before the sign-in is good for nothing afterwards")
    func tokenOfAnotherSession() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let before = try #require(try await browser.get("/sign-in").form("/sign-in")?.fields["csrf_token"])
            try await server.signIn("ada@maple.example", in: browser)
            #expect(try await browser.post("/sign-out", ["csrf_token": before]).status == 400)
            #expect(try await browser.get("/account").body.contains("Ada Admin"))
        }
    }

    @Test("a browser without our cookie cannot send a form at all")
    func withoutCookie() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let form = try #require(try await browser.get("/sign-in").form("/sign-in"))
            browser.cookies = [:]
            let answer = try await browser.submit(
                form, ["username": "ada@maple.example", "password": District.password])
            #expect(answer.status == 400)
            #expect(browser.cookies["__Host-lanyard-session"] == nil)
        }
    }

    @Test("the address of a consent page opens nothing in another browser, even a signed-in one")
    func anotherBrowser() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            #expect(page.status == 200)
            let other = server.browser()
            try await server.signIn("sam@maple.example", in: other)
            let stolen = try await other.get(page.path)
            #expect(stolen.status == 400)
            #expect(stolen.heading == "This page has expired")
            let token = try #require(try await other.get("/account").form("/sign-out")?.fields["csrf_token"])
            for decision in ["allow", "deny"] {
                let answer = try await other.post(page.path, ["csrf_token": token, "decision": decision])
                #expect(answer.status == 400)
            }
            #expect(try await browser.submit(page.form("/connect/"), ["decision": "allow"]).status == 302)
        }
    }

    @Test("names with markup are shown as text, on every page that shows them")
    func markup() async throws {
        try await TestServer.with { server in
            let evil = "<script>alert(1)</script>"
            let ada = server.maple.administrator.id
            let (organization, app) = (server.maple.organization.id, server.quizzler.app.id)
            try await server.database.write { transaction in
                try transaction.execute("UPDATE person SET given_name = $2 WHERE id = $1", [ada, evil])
                try transaction.execute("UPDATE organization SET name = $2 WHERE id = $1", [organization, evil])
                try transaction.execute("UPDATE app SET name = $2 WHERE id = $1", [app, evil])
            }
            let browser = server.browser()
            let consent = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            let failed = try await server.signIn("\"><script>", password: "x", in: server.browser())
            let pages = [
                consent, failed, try await browser.get("/account"),
                try await server.openConsent(server.quizzler, as: server.maple.teacher, in: server.browser()),
                try await browser.get(
                    "/auth/oauth2/v2/authorize?client_id=%3Cscript%3E&redirect_uri=%22%3E%3Cscript%3E"),
                try await browser.get("/nowhere?%22%3E%3Cscript%3E"),
                try await browser.get("/signed-out?\"><script>".replacingOccurrences(of: "\"><", with: "%22%3E%3C")),
            ]
            for page in pages {
                #expect(!page.body.contains("<script>"), "\(page.path)")
            }
            #expect(consent.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        }
    }
}
