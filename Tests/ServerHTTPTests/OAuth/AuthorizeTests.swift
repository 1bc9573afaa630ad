import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import ServerHTTP
import Storage
import Testing
import TestSupport

@testable import TestServers

/// The authorize step: docs/specifications/roster-api.md, 5. Errors before and after the return URL is known.
@Suite struct AuthorizeTests {
    @Test("deny goes back with access_denied and state, or with the operator's word")
    func deny() async throws {
        for word in ["access_denied", "user_cancelled_authorize"] {
            try await TestServer.with(configure: { $0.cancelledError = word }) { server in
                for (state, tail) in [("a b&c=d", "&state=a%20b%26c%3Dd"), ("", "")] {
                    let browser = server.browser()
                    let page = try await server.openConsent(
                        server.quizzler, as: server.maple.administrator, ["state": state], in: browser)
                    let answer = try await browser.submit(page.form("/connect/"), ["decision": "deny"])
                    #expect(answer.status == 302)
                    #expect(answer.location == "\(server.quizzler.redirectURI)?error=\(word)\(tail)")
                }
            }
        }
    }

    @Test("HEAD leaves nothing behind")
    func head() async throws {
        try await TestServer.with { server in
            let answer = try await server.browser().send(.HEAD, server.authorizePath(server.quizzler))
            #expect(answer.status == 200)
            let parked = try await server.database.read {
                try $0.first("SELECT COUNT(*) FROM parked_request") { try $0[0] as Int }
            }
            #expect(parked == 0)
        }
    }

    @Test("allow goes back in the mode that was asked for, with state if there was one")
    func modes() async throws {
        try await TestServer.with { server in
            let quizzler = server.quizzler
            let query = try await server.allow(quizzler)
            #expect(
                query.location.wholeMatch(of: #/https://com.quizzler.example/callback\?code=[\w-]{43}&state=n3kP/#)
                    != nil)
            let bare = try await server.allow(quizzler, ["state": ""])
            #expect(bare.location.wholeMatch(of: #/https://com.quizzler.example/callback\?code=[\w-]{43}/#) != nil)
            let own = try await server.allow(quizzler, ["redirect_uri": "\(quizzler.redirectURI)?tenant=a"])
            #expect(own.location.hasPrefix("\(quizzler.redirectURI)?tenant=a&code="))
            let fragment = try await server.allow(quizzler, ["response_mode": "fragment"])
            #expect(fragment.location.hasPrefix("\(quizzler.redirectURI)#code="))
            let form = try await server.allow(quizzler, ["response_mode": "form_post", "state": "\"><script>"])
            #expect(form.status == 200)
            let sent = try #require(form.form(quizzler.redirectURI))
            #expect(Set(sent.fields.keys) == ["code", "state"])
            #expect(sent.fields["state"] == "\"><script>")
            #expect(!form.body.contains("\"><script>"))
            #expect(form["Content-Security-Policy"]?.contains("form-action") == false)
            #expect(try await server.redeem(sent.fields["code"] ?? "", quizzler).status == 200)
        }
    }

    @Test("as long as client and return URL are not known to belong together, nothing is redirected")
    func noRedirect() async throws {
        let mistakes = [
            (["client_id": ""], "invalid_request"), (["client_id": "com.unknown"], "invalid_client"),
            (["client_id": "Com.Quizzler"], "invalid_client"), (["redirect_uri": ""], "invalid_request"),
            (["redirect_uri": "https://evil.example/"], "unauthorized_client"),
            (["redirect_uri": "https://com.quizzler.example/callback/"], "unauthorized_client"),
            (["redirect_uri": "https://com.quizzler.example/callback#x"], "unauthorized_client"),
            (["redirect_uri": "https://org.rival.example/callback"], "unauthorized_client"),
        ]
        try await TestServer.with { server in
            for (changes, error) in mistakes {
                let path = server.authorizePath(server.quizzler, changes)
                let page = try await server.browser().get(path, ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"])
                #expect(page.status == 400)
                #expect(page.location.isEmpty)
                #expect(page["Content-Type"] == "text/html; charset=utf-8")
                #expect(page.body.contains("\(error): "), "\(changes)")
                let json = try await server.browser().get(path, ["Accept": "application/json"])
                #expect(json.line == #"400 {"error":"\#(error)"}"#)
            }
        }
    }

    @Test("a doubled parameter of those two is a page as well, and misspelt names are pointed out")
    func doubled() async throws {
        try await TestServer.with { server in
            let path = server.authorizePath(server.quizzler)
            for extra in [
                "&client_id=com.quizzler", "&redirect_uri=https%3A%2F%2Fx.example", "&state=2",
                "&response_mode=query&response_mode=query",
            ] {
                let page = try await server.browser().get(path + extra)
                #expect(page.status == 400)
                #expect(page.location.isEmpty)
            }
            let misspelt = try await server.browser().get("/auth/oauth2/v2/authorize?clientid=com.quizzler")
            #expect(misspelt.body.contains("clientid"))
        }
    }

    @Test("every other mistake goes back to the app")
    func redirectedErrors() async throws {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        let mistakes = [
            (["scope": "edu.users.write"], "invalid_scope"), (["scope": ""], "invalid_scope"),
            (["scope": " "], "invalid_scope"), (["scope": "edu.users.read email name"], "invalid_scope"),
            (["scope": "edu.users.read edu.rosterapi.test.read"], "invalid_scope"),
            (["response_type": ""], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
            (["response_type": "code id_token"], "unsupported_response_type"),
            (["response_mode": "web_message"], "invalid_request"),
            (["code_challenge": "x", "code_challenge_method": "S256"], "invalid_request"),
            (["code_challenge": challenge], "invalid_request"),
            (["code_challenge": challenge, "code_challenge_method": "plain"], "invalid_request"),
            (["nonce": String(repeating: "n", count: 2_049)], "invalid_request"),
        ]
        try await TestServer.with { server in
            for (changes, error) in mistakes {
                let path = server.authorizePath(server.quizzler, changes)
                let answer = try await server.browser().get(path)
                #expect(answer.status == 302)
                #expect(answer.location == "\(server.quizzler.redirectURI)?error=\(error)&state=n3kP", "\(changes)")
                guard changes["response_mode"] == nil else { continue }
                let fragment = try await server.browser().get("\(path)&response_mode=fragment")
                #expect(fragment.location == "\(server.quizzler.redirectURI)#error=\(error)&state=n3kP")
                let form = try await server.browser().get("\(path)&response_mode=form_post")
                #expect(form.form(server.quizzler.redirectURI)?.fields == ["error": error, "state": "n3kP"])
                #expect(form.heading == "Going back to com.quizzler.example")
            }
        }
    }

    @Test("a scope that the app is not registered for is invalid_scope; others' scopes pass with the switch")
    func registeredScopes() async throws {
        try await TestServer.with(configure: { $0.ignoredScopes = ["email", "name", "openid"] }) { server in
            let narrow = try await TestApp.insert(
                "com.narrow", scopes: .init([.usersRead]), fixed: server.fixed.surroundings,
                masterKey: server.scene.masterKey, in: server.database)
            let wide = try await server.browser().get(server.authorizePath(narrow))
            #expect(wide.redirectParameters["error"] == "invalid_scope")
            let mixed = try await server.browser().get(server.authorizePath(narrow, scope: "email name edu.users.read"))
            #expect(mixed.location.hasPrefix("/connect/"))
            let none = try await server.browser().get(server.authorizePath(narrow, scope: "email name"))
            #expect(none.redirectParameters["error"] == "invalid_scope")
        }
    }

    @Test("who is not entitled gets a page that says so, and the app hears nothing until they cancel")
    func notEntitled() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.teacher, in: browser)
            #expect(page.status == 403)
            #expect(page.location.isEmpty)
            let answer = try await browser.submit(page.form("/connect/"))
            #expect(answer.redirectParameters == ["error": "access_denied", "state": "n3kP"])
        }
    }

    @Test("with a code_challenge the verifier is enforced, and a failure does not use the code up")
    func proofKey() async throws {
        try await TestServer.with { server in
            let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            let code = try await server.code(
                server.quizzler,
                ["code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"])
            for wrong in ["", "x", verifier.lowercased()] {
                let answer = try await server.redeem(code, server.quizzler, ["code_verifier": wrong])
                #expect(answer.line == #"400 {"error":"invalid_grant"}"#)
            }
            #expect(try await server.redeem(code, server.quizzler, ["code_verifier": verifier]).status == 200)
        }
    }

    @Test("another client of the same app may not use the code or the refresh token")
    func groupedClients() async throws {
        try await TestServer.with { server in
            let quizzler = server.quizzler
            let code = try await server.code(quizzler)
            let tokens = try await server.connect()
            let other = [
                "client_id": Scene.groupedClientID,
                "client_secret": try quizzler.secret(at: server.fixed.now, claims: ["sub": Scene.groupedClientID]),
            ]
            let byOther = try await server.redeem(code, quizzler, other)
            #expect(byOther.line == #"400 {"error":"invalid_grant"}"#)
            let refreshed = try await server.token(
                quizzler, other.merging(["grant_type": "refresh_token", "refresh_token": tokens.refresh]) { $1 })
            #expect(refreshed.line == #"400 {"error":"invalid_grant"}"#)
            // One consent is enough for both.
            let own = try await server.allow(quizzler, ["client_id": Scene.groupedClientID])
            #expect(own.redirectParameters["code"] != nil)
        }
    }
}
