import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// Requests and codes of the compatible profile. docs/specifications/sign-in.md, 1 to 5.
@Suite struct SignInAcceptanceTests {
    @Test(
        "code with no scope and query works; code id_token with query is refused, and scopes without form_post",
        arguments: TestDatabase.available)
    func responseModes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for person in try await server.kinds().all {
                for mode in ["query", ""] {
                    let answer = try await server.answer(
                        server.signInPath(server.quizzler, scope: "", ["response_mode": mode]), as: person)
                    #expect(answer.status == 302)
                    #expect(answer.location.hasPrefix("\(server.quizzler.redirectURI)?code="))
                    let fields = answer.redirectParameters
                    #expect(Set(fields.keys) == ["code", "state"])
                    #expect(try await server.redeemSignIn(fields["code"] ?? "").status == 200)
                }
                for mode in ["fragment", ""] {
                    let answer = try await server.answer(
                        server.signInPath(
                            server.quizzler, scope: "",
                            ["response_type": "code id_token", "response_mode": mode]), as: person)
                    #expect(answer.location.hasPrefix("\(server.quizzler.redirectURI)#code="))
                    #expect(Set(answer.redirectParameters.keys) == ["code", "id_token", "state"])
                }
            }
            let refused =
                [
                    ("", ["response_type": "code id_token", "response_mode": "query"], "Invalid response mode"),
                    ("", ["response_mode": "telepathy"], "Invalid response mode"),
                ]
                + ["name", "email", "name email", "openid email"].flatMap { scope in
                    ["query", "fragment", ""].flatMap { mode in
                        ["code", "code id_token"].map { type in
                            (
                                scope, ["response_type": type, "response_mode": mode],
                                "response_mode must be form_post when name or email scope is requested."
                            )
                        }
                    }
                }
            for (scope, changes, text) in refused {
                let path = server.signInPath(server.quizzler, scope: scope, changes)
                let page = try await server.browser().get(path)
                #expect(page.status == 400, "\(scope) \(changes)")
                #expect(page.body.contains("invalid_request: \(text)"), "\(scope) \(changes)")
                #expect(page.location.isEmpty)
                let json = try await server.browser().get(path, ["Accept": "application/json"])
                #expect(json.line == #"400 {"error":"invalid_request"}"#)
                #expect(json["Cache-Control"] == "no-store")
            }
        }
    }

    @Test(
        "the first sign-in posts user, the second does not, and after a revocation it does again",
        arguments: TestDatabase.available)
    func user(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let kinds = try await server.kinds()
            let shared = [
                (kinds.maria, #"{"email":"maria@home.example","name":{"firstName":"Maria","lastName":"Ruiz"}}"#),
                (
                    kinds.nadia,
                    #"{"email":"nadia.okoye@maple.example","name":{"firstName":"Nadia","lastName":"Okoye"}}"#
                ),
                (kinds.ben, #"{"name":{"firstName":"Ben","lastName":"Berg"}}"#),
            ]
            for (person, text) in shared {
                let path = server.signInPath(server.quizzler)
                let first = try await server.fields(path, as: person)
                #expect(Set(first.keys) == ["code", "state", "user"])
                #expect(first["user"] == text)
                let tokens = try TestServer.tokens(try await server.redeemSignIn(first["code"] ?? ""))
                // The app's other client id shares the consent.
                for app in [server.quizzler, server.grouped()] {
                    let again = try await server.fields(server.signInPath(app), as: person)
                    #expect(Set(again.keys) == ["code", "state"])
                }
                #expect(try await server.call("/auth/revoke", nil, ["token": tokens.refresh]).line == "200 ")
                #expect(try await server.fields(path, as: person)["user"] == text)
                try await server.stopUsing(person)
                #expect(try await server.fields(path, as: person)["user"] == text)
            }
        }
    }

    @Test("user holds what was asked for and is there, and the name as the owner of the account wrote it")
    func userParts() async throws {
        try await TestServer.with { server in
            let kinds = try await server.kinds()
            func user(_ person: Person, scope: String, _ typed: [String: String] = [:]) async throws -> String? {
                try await server.stopUsing(person)
                let browser = server.browser()
                let page = try await server.open(
                    server.signInPath(server.quizzler, scope: scope), as: person, in: browser)
                return try await server.proceed(page, as: person, typed, in: browser).carried?["user"]
            }
            #expect(
                try await user(kinds.maria, scope: "name", ["given_name": " Mia ", "family_name": "R"])
                    == #"{"name":{"firstName":"Mia","lastName":"R"}}"#)
            #expect(try await user(kinds.maria, scope: "email") == #"{"email":"maria@home.example"}"#)
            #expect(try await user(kinds.ben, scope: "email") == nil)
            // Nothing that the browser sends changes what the organization says.
            #expect(
                try await user(kinds.nadia, scope: "name", ["given_name": "Root", "family_name": "Admin"])
                    == #"{"name":{"firstName":"Nadia","lastName":"Okoye"}}"#)
            // Asked for more later, the person is asked again, and the app gets it.
            let path = server.signInPath(server.quizzler, scope: "email")
            #expect(try await server.fields(path, as: kinds.nadia)["user"] == #"{"email":"nadia.okoye@maple.example"}"#)
        }
    }

    @Test("Cancel carries error and state, and no other field, from every page and in every mode")
    func cancel() async throws {
        try await TestServer.with { server in
            let kinds = try await server.kinds()
            let error = "user_cancelled_authorize"
            for person in kinds.all {
                let browser = server.browser()
                let signIn = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
                let early = try await browser.submit(signIn.form("/continue/", with: "decision"))
                #expect(early.carried == ["error": error, "state": "n3kP"])

                let page = try await server.open(server.signInPath(server.quizzler), as: person, in: browser)
                let answer = try await browser.submit(page.form("/continue/"), ["decision": "deny"])
                #expect(answer.status == 200)
                #expect(answer.form(server.quizzler.redirectURI)?.fields == ["error": error, "state": "n3kP"])
                let stateless = try await server.open(
                    server.signInPath(server.quizzler, ["state": ""]), as: person, in: browser)
                #expect(
                    try await browser.submit(stateless.form("/continue/"), ["decision": "deny"]).carried
                        == ["error": error])
                let query = try await server.open(
                    server.signInPath(server.quizzler, scope: "", ["state": "a b&c=d"]), as: person, in: browser)
                #expect(
                    try await browser.submit(query.form("/continue/"), ["decision": "deny"]).location
                        == "\(server.quizzler.redirectURI)?error=\(error)&state=a%20b%26c%3Dd")
                let popup = try await server.open(
                    server.signInPath(server.quizzler, ["response_mode": "web_message"]), as: person, in: browser)
                let message = try await browser.submit(popup.form("/continue/"), ["decision": "deny"])
                #expect(message.attribute("data-message") == #"{"data":{"error":"\#(error)"},"method":"oauthDone"}"#)
                #expect(message.attribute("data-target-origin") == "https://com.quizzler.example")
            }
            #expect(try await server.count("authorization_code") == 0)
            #expect(try await server.count("sign_in_consent") == 0)
        }
    }

    @Test(
        "a code: used twice, too old, of another client, with another redirect URI", arguments: TestDatabase.available
    )
    func codes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for person in try await server.kinds().all {
                let code = try await server.signInCode(as: person)
                func expect(
                    _ description: String, _ app: TestApp? = nil, _ changes: [String: String] = [:]
                ) async throws {
                    let answer = try await server.redeemSignIn(code, app, changes)
                    #expect(answer.status == 400)
                    #expect(
                        answer.json as? [String: String]
                            == ["error": "invalid_grant", "error_description": description])
                }
                let (grouped, rival) = (server.grouped(), server.rival)
                try await expect(
                    "client_id mismatch. The code was not issued to com.quizzler.services.", grouped)
                // Somebody else's app learns nothing of the code.
                try await expect("The code has expired or has been revoked.", rival)
                let other = "\(server.quizzler.redirectURI)?tenant=a"
                try await expect(
                    "redirect_uri mismatch. The code was not issued to \(other).", nil, ["redirect_uri": other])
                try await expect(
                    "redirect_uri mismatch. The code was not issued to .", nil, ["redirect_uri": ""])
                // None of these requests has used the code up.
                server.fixed.advance(by: 299)
                let tokens = try TestServer.tokens(try await server.redeemSignIn(code))
                #expect(try await server.refreshSignIn(tokens.refresh).status == 200)
                try await expect("The code has already been used.")
                // The code was seen by somebody else, so its tokens are revoked.
                #expect(try await server.refreshSignIn(tokens.refresh).error == "invalid_grant")

                let old = try await server.signInCode(as: person)
                server.fixed.advance(by: 300)
                let answer = try await server.redeemSignIn(old)
                #expect(answer.json["error_description"] as? String == "The code has expired or has been revoked.")
                #expect(
                    try await server.redeemSignIn("c0ffee").json["error_description"] as? String
                        == "The code has expired or has been revoked.")
            }
        }
    }

    @Test("the code of a native program is redeemed without its redirect URI, by the app's server")
    func nativeCode() async throws {
        try await TestServer.with { server in
            try await server.put(returnURLs: [
                try ReturnURL(native: "http://127.0.0.1/callback"), try ReturnURL(native: "com.quizzler.app:/callback"),
            ])
            let maria = try await server.addPersonal()
            for (address, mode) in [
                ("http://127.0.0.1:49152/callback", "form_post"), ("com.quizzler.app:/callback", "query"),
            ] {
                func code() async throws -> String {
                    try await server.signInCode(
                        as: maria, ["redirect_uri": address, "response_mode": mode])
                }
                #expect(try await server.redeemSignIn(try await code(), nil, ["redirect_uri": ""]).status == 200)
                #expect(try await server.redeemSignIn(try await code(), nil, ["redirect_uri": address]).status == 200)
                #expect(try await server.redeemSignIn(try await code()).error == "invalid_grant")
            }
        }
    }
}
