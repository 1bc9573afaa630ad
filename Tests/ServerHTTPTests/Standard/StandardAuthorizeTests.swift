import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// `/oidc/authorize`: answers, errors, prompts. OpenID Connect Core §3.1.2, RFC 9207, RFC 8252.
@Suite struct StandardAuthorizeTests {
    private static let issuer = "\(TestServer.baseURL)/oidc"

    @Test("an answer carries code, state and iss, in each mode")
    func answers() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let callback = server.quizzler.redirectURI
            for person in try await server.kinds().all {
                for (mode, prefix) in [("", "\(callback)?"), ("query", "\(callback)?"), ("fragment", "\(callback)#")] {
                    let answer = try await server.answer(
                        client.path(scope: "openid profile email", ["response_mode": mode]), as: person)
                    #expect(answer.location.hasPrefix("\(prefix)code="))
                    #expect(Set(answer.redirectParameters.keys) == ["code", "state", "iss"])
                    #expect(answer.redirectParameters["iss"] == Self.issuer)
                    #expect(try await client.redeem(answer.redirectParameters["code"] ?? "").status == 200)
                }
                let form = try await server.answer(client.path(["response_mode": "form_post"]), as: person)
                #expect(Set(form.form(callback)?.fields.keys.map { $0 } ?? []) == ["code", "state", "iss"])
            }
        }
    }

    @Test("mistakes go back to the app with error, a description, state and iss")
    func errors() async throws {
        try await TestServer.with { server in
            try await server.makePublic(Scene.groupedClientID)
            let grouped = server.grouped()
            let long = String(repeating: "x", count: 2_049)
            let rows: [(TestApp, String, [String: String], String)] = [
                (server.quizzler, "openid", ["response_type": ""], "invalid_request"),
                (server.quizzler, "openid", ["response_type": "token"], "unsupported_response_type"),
                (server.quizzler, "openid", ["response_type": "code id_token"], "unsupported_response_type"),
                (server.quizzler, "openid", ["response_mode": "web_message"], "invalid_request"),
                (server.quizzler, "", [:], "invalid_scope"),
                (server.quizzler, "email", [:], "invalid_scope"),
                (server.quizzler, "openid", ["prompt": "none login"], "invalid_request"),
                (server.quizzler, "openid", ["max_age": "-1"], "invalid_request"),
                (server.quizzler, "openid", ["max_age": "soon"], "invalid_request"),
                (server.quizzler, "openid", ["request": "e30."], "request_not_supported"),
                (server.quizzler, "openid", ["request_uri": "https://x.example"], "request_uri_not_supported"),
                (server.quizzler, "openid", ["nonce": long], "invalid_request"),
                (server.quizzler, "openid", ["code_challenge": Proof.challenge], "invalid_request"),
                (
                    server.quizzler, "openid", ["code_challenge": "x", "code_challenge_method": "S256"],
                    "invalid_request"
                ),
                (grouped, "openid", [:], "invalid_request"),
                (
                    grouped, "openid", ["code_challenge": Proof.challenge, "code_challenge_method": "plain"],
                    "invalid_request"
                ),
                (server.quizzler, "openid", ["prompt": "none"], "login_required"),
            ]
            for (app, scope, changes, error) in rows {
                let answer = try await server.browser().get(server.standardPath(app, scope: scope, changes))
                #expect(answer.status == 302, "\(changes)")
                #expect(answer.location.hasPrefix("\(server.quizzler.redirectURI)?"))
                let fields = answer.redirectParameters
                #expect(Set(fields.keys) == ["error", "error_description", "state", "iss"], "\(changes)")
                #expect(fields["error"] == error, "\(changes)")
                #expect(fields["state"] == "n3kP")
                #expect(fields["iss"] == Self.issuer)
            }
            let twice = try await server.browser().get(
                server.standardPath(server.quizzler) + "&nonce=a&nonce=b")
            #expect(twice.redirectParameters["error"] == "invalid_request")
            // Errors that cannot be sent to an app stay on the page.
            for (changes, error) in [
                (["client_id": "com.unknown"], "invalid_client"), (["client_id": ""], "invalid_request"),
                (["redirect_uri": ""], "invalid_request"),
                (["redirect_uri": "https://evil.example/"], "unauthorized_client"),
            ] {
                let page = try await server.browser().get(server.standardPath(server.quizzler, changes))
                #expect(page.status == 400)
                #expect(page.location.isEmpty)
                #expect(page.body.contains("\(error): "))
            }
            for double in ["state", "client_id", "redirect_uri"] {
                let page = try await server.browser().get(server.standardPath(server.quizzler) + "&\(double)=x")
                #expect(page.status == 400, "\(double)")
            }
        }
    }

    @Test("Cancel says access_denied, with state and iss")
    func cancel() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.open(
                server.standardPath(server.quizzler), as: server.maple.nadia, in: browser)
            let answer = try await browser.submit(page.form("/continue/"), ["decision": "deny"])
            #expect(
                answer.redirectParameters
                    == ["error": "access_denied", "state": "n3kP", "iss": Self.issuer])
        }
    }

    @Test("prompt: none answers without a page or says why not, login and max_age ask for the password again")
    func prompts() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            func silently(_ scope: String = "openid", _ changes: [String: String] = [:]) async throws -> String? {
                let path = client.path(scope: scope, changes.merging(["prompt": "none"]) { $1 })
                let fields = try await browser.get(path).redirectParameters
                return fields["code"] == nil ? fields["error"] : "code"
            }
            try await server.signIn(nadia.userName, in: browser)
            #expect(try await silently() == "consent_required")
            let first = try await client.tokens(as: nadia, in: browser)
            let since = try await server.verified(first.identity).claims["auth_time"] as? Int
            server.fixed.advance(by: 600)
            #expect(try await silently() == "code")
            #expect(try await silently("openid email") == "consent_required")
            #expect(try await silently("openid", ["max_age": "600"]) == "code")
            #expect(try await silently("openid", ["max_age": "599"]) == "login_required")
            #expect(try await silently("openid", ["max_age": "0"]) == "login_required")

            // Known and signed in: no page is needed.
            let fields = try await browser.get(client.path()).carried ?? [:]
            let again = try TestServer.tokens(try await client.redeem(fields["code"] ?? ""))
            #expect(try await server.verified(again.identity).claims["auth_time"] as? Int == since)
            #expect(
                try await browser.follow(browser.get(client.path(["prompt": "select_account"]))).heading
                    == "Continue to Quizzler")
            #expect(
                try await browser.follow(browser.get(client.path(["prompt": "consent"]))).heading
                    == "Create your Quizzler account")
            for changes in [["max_age": "599"], ["prompt": "login"], ["max_age": "0"], ["prompt": "login consent"]] {
                server.fixed.advance(by: 1)
                let page = try await browser.follow(browser.get(client.path(changes)))
                #expect(page.form("/sign-in") != nil, "\(changes)")
                #expect(page.body.contains(#"value="nadia@maple.example""#))
                // The old session does not answer for the new one.
                #expect(try await browser.get(page.path).form("/sign-in") != nil)
                let form = try #require(page.form("/continue/"))
                let forced = try await browser.submit(form, ["decision": "continue"])
                #expect(forced.carried == nil)
                var answer = try await browser.follow(server.signIn(nadia.userName, on: page, in: browser))
                if answer.carried == nil { answer = try await server.proceed(answer, as: nadia, in: browser) }
                let tokens = try TestServer.tokens(try await client.redeem(answer.carried?["code"] ?? ""))
                let time = try await server.verified(tokens.identity).claims["auth_time"] as? Int
                #expect(time == Int(server.fixed.now.timeIntervalSince1970), "\(changes)")
            }
            server.fixed.advance(by: 5)
            #expect(try await browser.get(client.path(["max_age": "10"])).redirectParameters["code"] != nil)
        }
    }

    @Test("id_token_hint: nobody else answers, with a page or without", arguments: TestDatabase.available)
    func hint(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let (nadia, ben) = (server.maple.nadia, server.maple.ben)
            let browser = server.browser()
            let bens = try await client.tokens(as: ben)
            let nadias = try await client.tokens(as: nadia, in: browser)
            let elsewhere = try await server.tokens(server.rival, as: nadia)
            server.fixed.advance(by: 4_000)
            func silently(_ hint: String) async throws -> String? {
                let path = client.path(["prompt": "none", "id_token_hint": hint])
                let fields = try await browser.get(path).redirectParameters
                return fields["code"] == nil ? fields["error"] : "code"
            }
            // The identity token has expired by now, which does not matter for a hint.
            #expect(try await silently(nadias.identity) == "code")
            // Another person, another team's id for this person, a text that is no token, and a damaged token.
            for hint in [bens.identity, elsewhere.identity, "x", String(nadias.identity.dropLast(5))] {
                #expect(try await silently(hint) == "login_required")
            }

            // The person whom the hint names continues without a page.
            let answer = try await browser.get(client.path(["id_token_hint": nadias.identity]))
            #expect(answer.redirectParameters["code"] != nil)
            // For another person the page asks to sign in, and does not show who is signed in.
            let page = try await browser.follow(browser.get(client.path(["id_token_hint": bens.identity])))
            #expect(page.form("/sign-in") != nil)
            #expect(!page.body.contains("nadia@maple.example"))
            let form = try #require(page.form("/continue/"))
            #expect(try await browser.submit(form, ["decision": "continue"]).carried == nil)
            // If Nadia signs in instead, the app is told that Ben did not.
            let mistaken = try await browser.follow(server.signIn(nadia.userName, on: page, in: browser))
            #expect(mistaken.redirectParameters["error"] == "login_required")
            #expect(mistaken.redirectParameters["state"] == "n3kP")
            let again = try await browser.follow(browser.get(client.path(["id_token_hint": bens.identity])))
            var bensAnswer = try await browser.follow(server.signIn(ben.userName, on: again, in: browser))
            if bensAnswer.carried == nil { bensAnswer = try await server.proceed(bensAnswer, as: ben, in: browser) }
            let tokens = try TestServer.tokens(try await client.redeem(bensAnswer.carried?["code"] ?? ""))
            let (sub, expected) = (
                try await server.verified(tokens.identity).claims["sub"] as? String,
                try await server.verified(bens.identity).claims["sub"] as? String
            )
            #expect(sub != nil && sub == expected)
        }
    }

    @Test("prompt none at an app that the organization keeps out is access_denied, and in the audit trail")
    func blocked() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn(server.maple.nadia.userName, in: browser)
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let answer = try await browser.get(server.standardPath(server.quizzler, ["prompt": "none"]))
            #expect(answer.redirectParameters["error"] == "access_denied")
            #expect(
                try await server.audit(of: server.maple.organization.id).contains {
                    $0.hasPrefix("app.sign-in refused")
                })
        }
    }

    @Test("login_hint fills in the name, as text")
    func loginHint() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await browser.follow(
                browser.get(server.standardPath(server.quizzler, ["login_hint": "\"><script>alert(1)</script>"])))
            #expect(page.body.contains("value=\"&quot;&gt;&lt;script&gt;"))
            #expect(!page.body.contains("<script>"))
        }
    }

    @Test("native programs: a loopback address at every port, and a scheme of the program's own")
    func native() async throws {
        try await TestServer.with { server in
            try await server.put(returnURLs: [
                try ReturnURL(native: "http://127.0.0.1/callback"), try ReturnURL(native: "http://[::1]/callback"),
                try ReturnURL(native: "com.quizzler.app:/callback"),
            ])
            let client = try await StandardClient.public(on: server)
            let nadia = server.maple.nadia
            for address in [
                "http://127.0.0.1:49152/callback", "http://127.0.0.1:1/callback", "http://[::1]:65535/callback",
                "http://127.0.0.1/callback", "com.quizzler.app:/callback",
            ] {
                let answer = try await server.answer(client.path(["redirect_uri": address]), as: nadia)
                #expect(answer.location.hasPrefix("\(address)?code="), "\(address)")
                let code = answer.redirectParameters["code"] ?? ""
                // The address belongs to the request, port and all.
                for other in ["", "http://127.0.0.1:49153/callback"] {
                    #expect(try await client.redeem(code, ["redirect_uri": other]).error == "invalid_grant")
                }
                #expect(try await client.redeem(code, ["redirect_uri": address]).status == 200)
            }
            // Any program on the device could ask in its name: never without a page.
            let browser = server.browser()
            try await server.signIn(nadia.userName, in: browser)
            for address in ["http://127.0.0.1:49152/callback", "com.quizzler.app:/callback"] {
                let answer = try await browser.get(client.path(["redirect_uri": address, "prompt": "none"]))
                #expect(answer.redirectParameters["error"] == "interaction_required", "\(address)")
                let page = try await browser.follow(browser.get(client.path(["redirect_uri": address])))
                #expect(page.heading == "Continue to Quizzler", "\(address)")
            }
            let posted = try await server.browser().get(
                client.path(["redirect_uri": "com.quizzler.app:/callback", "response_mode": "form_post"]))
            #expect(posted.redirectParameters["error"] == "invalid_request")
        }
    }
}
