import Directory
import Foundation
import Testing

@testable import TestServers

/// Forms of pages that were open while somebody signed in or out. Browsers say that our own page sent them.
@Suite struct StaleFormTests {
    private static let own = ["Sec-Fetch-Site": "same-origin"]

    @Test("of two tabs with the sign-in page, the second goes on with who signed in at the first")
    func twoTabs() async throws {
        try await TestServer.with { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let tabs = [
                try await browser.follow(browser.get(server.signInPath(server.quizzler))),
                try await browser.follow(browser.get(server.signInPath(server.quizzler))),
            ]
            #expect(try await server.signIn(nadia.userName, on: tabs[0], in: browser).status == 303)
            let second = try await browser.submit(
                tabs[1].form("/sign-in"), ["username": "tara@maple.example", "password": "x"], Self.own)
            #expect(second.status == 303 && second.location == tabs[1].path)
            let page = try await browser.follow(second)
            #expect(page.heading == "Create your Quizzler account")
            #expect(try await server.proceed(page, as: nadia, in: browser).carried?["code"] != nil)
        }
    }

    @Test("when the session is over, its cookie too, the page asks who one is and comes again")
    func sessionOver() async throws {
        try await TestServer.with { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let page = try await server.open(server.signInPath(server.quizzler), as: nadia, in: browser)
            let consent = try await server.openConsent(
                server.quizzler, as: server.maple.administrator, in: server.browser())
            #expect(consent.status == 200)
            browser.forget(cookie: "lanyard-session")
            let answer = try await browser.submit(page.form("/continue/"), ["decision": "continue"], Self.own)
            #expect(answer.status == 303 && answer.location == page.path)
            let signIn = try await browser.follow(answer)
            let again = try await browser.follow(server.signIn(nadia.userName, on: signIn, in: browser))
            #expect(try await server.proceed(again, as: nadia, in: browser).carried?["code"] != nil)
        }
    }

    @Test("every form leads to a page that is there, and nothing is done")
    func everyForm() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            _ = try await server.signUp(in: browser)
            let before = browser.cookies
            for path in [
                "/sign-in", "/sign-out", "/language", "/change-password", "/sign-up", "/forgot-password", "/device",
                "/oidc/logout/decision", "/account/password", "/account/name", "/account/email", "/account/delete",
                "/account/sessions/sign-out-others", "/account/sessions/x/sign-out", "/account/hidden-addresses/1",
                "/account/apps/1/stop",
            ] {
                let fields = ["csrf_token": "x", "continue": "/account", "confirmation": "nora@home.example"]
                let answer = try await browser.post(path, fields, Self.own)
                #expect(answer.status == 303, "\(path)")
                #expect(try await browser.follow(answer).status == 200, "\(path)")
            }
            #expect(browser.cookies == before)
            #expect(try await browser.get("/account").body.contains("Nora Lind"))
        }
    }

    @Test("a form that signed nobody out does not say so")
    func signOut() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            let old = try await browser.get("/account")
            try await server.signIn("ada@maple.example", in: browser)
            let answer = try await browser.submit(
                old.forms.first { $0.action == "/sign-out" && $0.fields["continue"] == "/signed-out" }, [:], Self.own)
            #expect(try await browser.follow(answer).body.contains("Ada Admin"))
            // Nor does the page of those who are.
            #expect(try await browser.get("/signed-out").location == "/")
        }
    }

    @Test("a form that came from elsewhere, or without our cookie, leads nowhere by itself, but shows the way")
    func elsewhere() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            for site in ["cross-site", "same-site", "none", ""] {
                let answer = try await browser.post(
                    "/sign-in", ["csrf_token": "x", "continue": "/account"], ["Sec-Fetch-Site": site])
                #expect(answer.status == 400 && answer.location.isEmpty, "\(site)")
                #expect(answer.link("Open the page again") == "/account")
            }
            let stranger = try await server.browser().post(
                "/sign-in", ["csrf_token": "x", "continue": "//elsewhere.example"], Self.own)
            #expect(stranger.status == 400 && stranger.link("Open the page again") == "/")
            #expect(try await browser.get("/continue/x").link("Go to the start page") == "/")
        }
    }
}
