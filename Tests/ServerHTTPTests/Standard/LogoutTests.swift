import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@testable import TestServers

/// `/oidc/logout`. OpenID Connect RP-Initiated Logout.
@Suite struct LogoutTests {
    private static let goodbye = "https://com.quizzler.example/goodbye?x=y"

    private func with(_ body: @escaping @Sendable (TestServer, StandardClient) async throws -> Void) async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let app = server.quizzler.app
            try await server.database.write {
                try app.put(signOutURLs: [try ReturnURL(Self.goodbye, allowingLoopback: false)], in: $0)
            }
            try await body(server, client)
        }
    }

    private func path(_ fields: [String: String]) -> String { "/oidc/logout?\(Browser.encode(fields.map { $0 }))" }

    private func isSignedIn(_ browser: Browser) async throws -> Bool {
        try await browser.get("/account").form("/sign-out") != nil
    }

    @Test("with an identity token of the person, they are signed out at once and led back, by GET and by POST")
    func withHint() async throws {
        try await with { server, client in
            for isPosted in [false, true] {
                let browser = server.browser()
                let tokens = try await client.tokens(as: server.maple.nadia, in: browser)
                // One that has expired will do.
                server.fixed.advance(by: 7_000)
                let fields = [
                    "id_token_hint": tokens.identity, "post_logout_redirect_uri": Self.goodbye, "state": "a b&c",
                ]
                // A form that another site posts comes without cookies: the redirect brings them.
                let answer =
                    isPosted
                    ? try await browser.follow(server.browser().post("/oidc/logout", fields))
                    : try await browser.get(path(fields))
                #expect(answer.location == "\(Self.goodbye)&state=a%20b%26c")
                #expect(browser.cookies["__Host-lanyard-session"] == nil)
                #expect(try await !isSignedIn(browser))
            }
        }
    }

    @Test(
        "an address that only looks like the registered one is none, and nothing is there twice")
    func exactly() async throws {
        try await with { server, client in
            let app = server.quizzler.app
            let registered = "https://com.quizzler.example/K;x"
            try await server.database.write {
                try app.put(signOutURLs: [try ReturnURL(registered, allowingLoopback: false)], in: $0)
            }
            let fields = ["client_id": "com.quizzler", "post_logout_redirect_uri": registered]
            #expect(try await server.browser().get(path(fields)).location == registered)
            for lookalike in ["https://com.quizzler.example/\u{212A};x", "https://com.quizzler.example/K\u{37E}x"] {
                #expect(lookalike == registered)  // as Swift compares texts
                let answer = try await server.browser().get(
                    path(fields.merging(["post_logout_redirect_uri": lookalike]) { $1 }))
                #expect(answer.status == 400 && answer.location.isEmpty)
            }
            #expect(try await server.browser().get(path(fields) + "&state=a&state=b").status == 400)
            #expect(try await server.browser().get(path(fields) + "&x=a&x=b").status == 400)
            try await server.put(returnURLs: [try ReturnURL(registered, allowingLoopback: false)])
            let code = try await server.standardCode(as: server.maple.nadia, ["redirect_uri": registered])
            let redeemed = try await client.redeem(
                code, ["redirect_uri": registered.replacingOccurrences(of: "K", with: "\u{212A}")])
            #expect(redeemed.error == "invalid_grant")
            #expect(try await client.redeem(code, ["redirect_uri": registered]).status == 200)
        }
    }

    @Test("without one, or with another person's or a forged one, the person is asked")
    func withoutHint() async throws {
        try await with { server, client in
            let other = try await client.tokens(as: server.maple.ben)
            let compatible = try await server.tokens(as: server.maple.nadia)
            let browser = server.browser()
            let own = try await client.tokens(as: server.maple.nadia, in: browser)
            let parts = own.identity.split(separator: ".")
            let none = Data(#"{"alg":"none","kid":"TESTSIGNER"}"#.utf8).base64URLEncoded
            for hint in [
                "", "x", other.identity, compatible.identity, "\(parts[0]).\(parts[1]).AAAA",
                "\(none).\(parts[1]).", "\(parts[0]).\(parts[1]).",
            ] {
                let page = try await browser.get(
                    path(["id_token_hint": hint, "client_id": "com.quizzler"].filter { !$0.value.isEmpty }))
                #expect(page.status == 200, "\(hint)")
                #expect(page.heading == "Sign out of Lanyard?", "\(hint)")
                #expect(try await isSignedIn(browser))
            }
            let page = try await browser.get(
                path(["client_id": "com.quizzler", "post_logout_redirect_uri": Self.goodbye]))
            let form = try #require(page.form("/oidc/logout/decision"))
            let stay = try await browser.submit(form, ["decision": "stay"])
            // Back to the app, which has told where.
            #expect(stay.location == Self.goodbye)
            #expect(try await isSignedIn(browser))
            #expect(try await browser.submit(form, ["decision": "sign_out"]).location == Self.goodbye)
            #expect(try await !isSignedIn(browser))
            // Signed out already: straight back.
            #expect(
                try await browser.get(path(["client_id": "com.quizzler", "post_logout_redirect_uri": Self.goodbye]))
                    .location == Self.goodbye)
        }
    }

    @Test("nobody is led to an address that is not the app's for after signing out")
    func openRedirects() async throws {
        try await with { server, client in
            let browser = server.browser()
            let tokens = try await client.tokens(as: server.maple.nadia, in: browser)
            let identity = ["id_token_hint": tokens.identity]
            for address in [
                "https://evil.example/", server.quizzler.redirectURI, Self.goodbye + "#x", Self.goodbye.uppercased(),
                "//evil.example", "javascript:alert(1)", "/\\evil.example",
            ] {
                let wish = ["post_logout_redirect_uri": address]
                for fields in [wish, wish.merging(["client_id": "com.quizzler"]) { $1 }, wish.merging(identity) { $1 }]
                {
                    let answer = try await browser.get(path(fields))
                    #expect(answer.status == 400, "\(address)")
                    #expect(answer.location.isEmpty)
                }
                let token = try #require(try await browser.get("/account").form("/sign-out")?.fields["csrf_token"])
                let decided = try await browser.post(
                    "/oidc/logout/decision",
                    [
                        "csrf_token": token, "decision": "sign_out", "client_id": "com.quizzler",
                        "post_logout_redirect_uri": address,
                    ])
                #expect(decided.status == 400)
            }
            let mixed = try await browser.get(path(identity.merging(["client_id": "org.rival"]) { $1 }))
            #expect(mixed.status == 400)
            #expect(try await isSignedIn(browser))
            #expect(try await browser.get(path(identity)).location == "/signed-out")
        }
    }
}
