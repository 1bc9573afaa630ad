import Authorization
import Crypto
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import Testing
import TestSupport

@testable import TestServers

/// `/oidc/token`, `/oidc/revoke`, `/oidc/userinfo` and the documents about them.
@Suite struct StandardTokenTests {
    private static let issuer = "\(TestServer.baseURL)/oidc"

    @Test("discovery names what works, and nothing else", arguments: TestDatabase.available)
    func discovery(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let browser = server.browser()
            let answer = try await browser.get("/oidc/.well-known/openid-configuration")
            #expect(answer["Access-Control-Allow-Origin"] == "*")
            #expect(try await browser.get("/.well-known/oauth-authorization-server/oidc").body == answer.body)
            let document = answer.json
            func list(_ key: String) -> [String] { document[key] as? [String] ?? [] }
            #expect(document["issuer"] as? String == Self.issuer)
            // Every endpoint is there: none answers 404.
            for (key, value) in document where key.hasSuffix("_endpoint") || key == "jwks_uri" {
                let path = try #require((value as? String)?.replacingOccurrences(of: TestServer.baseURL, with: ""))
                let isRead = ["jwks_uri", "authorization_endpoint", "end_session_endpoint"].contains(key)
                let there = isRead ? try await browser.get(path) : try await browser.post(path, [:])
                #expect(there.status != 404 && there.status < 500, "\(key)")
            }
            #expect(list("response_types_supported") == ["code"])
            for mode in list("response_modes_supported") {
                #expect(
                    try await browser.get(server.standardPath(server.quizzler, ["response_mode": mode])).location
                        .hasPrefix("/continue/"))
            }
            #expect(
                Set(list("grant_types_supported"))
                    == ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"])
            #expect(
                Set(list("token_endpoint_auth_methods_supported"))
                    == ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
            #expect(list("token_endpoint_auth_signing_alg_values_supported") == ["ES256"])
            #expect(list("code_challenge_methods_supported") == ["S256"])
            #expect(list("subject_types_supported") == ["pairwise"])
            #expect(Set(list("prompt_values_supported")) == ["none", "login", "consent", "select_account"])
            #expect(document["authorization_response_iss_parameter_supported"] as? Bool == true)
            // The claims of tokens and user info are all announced.
            let client = try await StandardClient.secret(on: server)
            let scope = list("scopes_supported").joined(separator: " ")
            for person in try await server.kinds().all {
                let answer = try await server.fields(client.path(scope: scope, ["nonce": "n"]), as: person)
                let redeemed = try await client.redeem(answer["code"] ?? "")
                #expect(
                    Set((redeemed.json["scope"] as? String ?? "").split(separator: " ").map(String.init))
                        == Set(list("scopes_supported")))
                let tokens = try TestServer.tokens(redeemed)
                let claims = try await server.verified(tokens.identity).claims
                let info = try await client.userInfo(tokens.access).json
                #expect(Set(claims.keys).union(info.keys).isSubset(of: list("claims_supported")))
                #expect(list("acr_values_supported").contains(claims["acr"] as? String ?? ""))
                #expect(claims["amr"] as? [String] == ["pwd"])
                #expect(claims["iss"] as? String == Self.issuer)
                #expect(claims["nonce"] as? String == "n")
                #expect(claims["nonce_supported"] == nil)
                #expect(claims["exp"] as? Int == (claims["iat"] as? Int ?? 0) + 3_600)
                #expect(info["sub"] as? String == claims["sub"] as? String)
                // One person is the same in both profiles.
                let compatible = try await server.verified(try await server.tokens(as: person).identity).claims
                #expect(compatible["sub"] as? String == claims["sub"] as? String)
            }
        }
    }

    @Test("clients authenticate by secret in header or form, by assertion, or not at all; one way a request")
    func authentication() async throws {
        try await TestServer.with { server in
            let secret = try await server.makeSecret()
            let now = server.fixed.now
            func assertion() throws -> String {
                try server.quizzler.secret(
                    at: now, claims: ["iss": "com.quizzler", "aud": "\(Self.issuer)/token", "jti": "\(UUID())"])
            }
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            func send(_ fields: [String: String], basic: String? = nil) async throws -> Answer {
                try await server.standardCall(
                    "token", fields.merging(["grant_type": "refresh_token", "refresh_token": "x"]) { $1 }, basic: basic)
            }
            let id = ["client_id": "com.quizzler"]
            func asserted(_ text: String, _ more: [String: String] = [:]) -> [String: String] {
                ["client_assertion": text, "client_assertion_type": type].merging(more) { $1 }
            }
            // Past client authentication there is a token that nobody knows.
            let good: [Answer] = [
                try await send([:], basic: "com.quizzler:\(secret)"),
                try await send(
                    [:], basic: "com%2Equizzler:\(secret.map { "%\(String($0.asciiValue!, radix: 16))" }.joined())"),
                try await send(id, basic: "com.quizzler:\(secret)"),
                try await send(id.merging(["client_secret": secret]) { $1 }),
            ]
            for answer in good { #expect(answer.line.hasPrefix(#"400 {"error":"invalid_grant""#)) }

            let unauthenticated: [Answer] = [
                try await send([:]), try await send(id), try await send([:], basic: "com.quizzler:x"),
                try await send([:], basic: "com.quizzler:"), try await send([:], basic: "org.rival:\(secret)"),
                try await send([:], basic: "com.quizzler:%zz"), try await send([:], basic: "com%00quizzler:x"),
                try await send(id.merging(["client_secret": "x"]) { $1 }),
                // The secret of the compatible profile is no fixed secret.
                try await send(id.merging(["client_secret": try server.quizzler.secret(at: now)]) { $1 }),
                // A client with a fixed secret uses that alone.
                try await send(asserted(try assertion())), try await send(asserted(try assertion(), id)),
            ]
            for (index, answer) in unauthenticated.enumerated() {
                #expect(answer.status == 401, "\(index)")
                #expect(answer.error == "invalid_client", "\(index)")
                #expect(answer["WWW-Authenticate"] == #"Basic realm="Lanyard""#)
            }
            let both: [Answer] = [
                try await send(["client_secret": secret], basic: "com.quizzler:\(secret)"),
                try await send(asserted(try assertion()), basic: "com.quizzler:\(secret)"),
                try await send(asserted(try assertion(), ["client_secret": secret])),
                try await send(["client_id": "org.rival"], basic: "com.quizzler:\(secret)"),
                try await send(["client_assertion": try assertion()]),
            ]
            for answer in both {
                #expect(answer.status == 400)
                #expect(answer.error == "invalid_request")
            }
            try await server.makePublic()
            #expect(try await send(asserted(try assertion())).error == "invalid_client")
            #expect(try await send(id).error == "invalid_grant")
            // The secret that it had is void.
            #expect(try await send([:], basic: "com.quizzler:\(secret)").status == 401)
        }
    }

    @Test("a public client redeems with its verifier alone")
    func proofKey() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            let code = try await server.fields(client.path(), as: server.maple.nadia)["code"] ?? ""
            for verifier in ["", "x", Proof.challenge] {
                #expect(try await client.redeem(code, ["code_verifier": verifier]).error == "invalid_grant")
            }
            #expect(try await client.redeem(code).status == 200)
            #expect(try await client.redeem(code).error == "invalid_grant")
        }
    }

    @Test("user info answers GET and POST, with what was asked for and agreed to", arguments: TestDatabase.available)
    func userInfo(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let kinds = try await server.kinds()
            func info(_ person: Person, scope: String) async throws -> [String: Any] {
                let tokens = try await client.tokens(as: person, scope: scope)
                let answers = [
                    try await client.userInfo(tokens.access),
                    try await server.browser().send(
                        .POST, "/oidc/userinfo", ["Authorization": "bearer \(tokens.access)"]),
                    try await server.browser().post("/oidc/userinfo", ["access_token": tokens.access]),
                ]
                for answer in answers {
                    #expect(answer.status == 200)
                    #expect(answer["Cache-Control"] == "no-store")
                    #expect(canonical(answer.json) == canonical(answers[0].json))
                }
                var json = answers[0].json
                #expect(json.removeValue(forKey: "sub") != nil)
                return json
            }
            let organization = server.maple.organization.publicID
            let changed = Int(server.fixed.now.timeIntervalSince1970)
            let name: [String: Any] = [
                "name": "Maria Ruiz", "given_name": "Maria", "family_name": "Ruiz", "updated_at": changed,
            ]
            #expect(try await info(kinds.maria, scope: "openid").isEmpty)
            #expect(canonical(try await info(kinds.maria, scope: "openid profile")) == canonical(name))
            #expect(
                canonical(try await info(kinds.maria, scope: "openid email phone"))
                    == canonical(["email": "maria@home.example", "email_verified": true] as [String: Any]))
            #expect(
                canonical(try await info(kinds.nadia, scope: "openid email"))
                    == canonical(
                        [
                            "email": "nadia.okoye@maple.example", "email_verified": true,
                        ] as [String: Any]))
            #expect(
                canonical(try await info(kinds.ben, scope: "openid profile email organization"))
                    == canonical(
                        [
                            "name": "Ben Berg", "given_name": "Ben", "family_name": "Berg", "org_id": organization,
                            "preferred_username": kinds.ben.userName, "updated_at": changed,
                        ] as [String: Any]))
            #expect(try await info(kinds.maria, scope: "openid organization").isEmpty)
            let none = try await server.browser().get("/oidc/userinfo")
            #expect(none.status == 401)
            // A request without a token gets a challenge without an error code.
            #expect(none["WWW-Authenticate"] == "Bearer" && none.body == "")
            // A query is in every log.
            let tokens = try await client.tokens(as: kinds.ben)
            #expect(try await server.browser().get("/oidc/userinfo?access_token=\(tokens.access)").status == 401)
            server.fixed.advance(by: 3_600)
            #expect(try await client.userInfo(tokens.access).status == 401)
        }
    }

    @Test("what an app is not registered for is left out, and the answer says what was given")
    func scopes() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let app = server.quizzler.app
            try await server.database.write { try app.put(name: app.name, scopes: ScopeSet([.name]), in: $0) }
            let fields = try await server.fields(
                client.path(scope: "openid profile email address edu.users.read"), as: server.maple.nadia)
            let answer = try await client.redeem(fields["code"] ?? "")
            #expect(answer.json["scope"] as? String == "profile openid")
            #expect(answer.json["refresh_token"] == nil)
            let claims = try await server.verified(try TestServer.tokens(answer).identity).claims
            #expect(claims["name"] as? String == "Nadia Okoye")
            #expect(claims["email"] == nil)
        }
    }

    @Test("a refresh token is exchanged each time; shown again, it ends everything", arguments: TestDatabase.available)
    func rotation(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            for person in [server.maple.nadia, try await server.addPersonal()] {
                let first = try await client.tokens(as: person, scope: "openid email offline_access", ["nonce": "n"])
                server.fixed.advance(by: 60)
                // More than was granted is refused, and uses nothing up.
                #expect(try await client.refresh(first.refresh, ["scope": "openid profile"]).error == "invalid_scope")
                let answer = try await client.refresh(first.refresh, ["scope": "openid email"])
                let second = try TestServer.tokens(answer)
                #expect(!second.refresh.isEmpty)
                #expect(second.refresh != first.refresh)
                let claims = try await server.verified(second.identity).claims
                #expect(claims["nonce"] == nil)
                #expect(claims["auth_time"] as? Int == Int(server.fixed.now.timeIntervalSince1970) - 60)
                let third = try TestServer.tokens(try await client.refresh(second.refresh))
                #expect(try await client.userInfo(third.access).status == 200)

                let audit = try await server.count("audit_entry")
                for _ in 0..<3 {
                    let stolen = try await client.refresh(first.refresh)
                    #expect(stolen.line.hasPrefix(#"400 {"error":"invalid_grant""#))
                }
                #expect(try await server.count("audit_entry") == audit + 1)
                #expect(try await client.refresh(third.refresh).error == "invalid_grant")
                for tokens in [first, second, third] {
                    #expect(try await client.userInfo(tokens.access).status == 401)
                }
            }
            #expect(try await server.audit(of: server.maple.organization.id).contains("refresh-token.replayed refused"))
        }
    }

    @Test(
        "a refresh may ask for less, which the answer, the tokens and userinfo have, and the next for all again"
    )
    func lessScope() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let first = try await client.tokens(
                as: server.maple.nadia, scope: "openid profile email roles offline_access")
            let narrow = try await client.refresh(first.refresh, ["scope": "openid email"])
            #expect(narrow.json["scope"] as? String == "email offline_access openid")
            let less = try TestServer.tokens(narrow)
            let claims = try await server.verified(less.identity).claims
            #expect(claims["name"] == nil && claims["roles"] == nil && claims["email"] != nil)
            let told = try await client.userInfo(less.access).json
            #expect(told["name"] == nil && told["given_name"] == nil && told["email"] != nil)
            #expect(told["roles"] == nil && told["grade"] == nil)
            // Tokens that were issued before keep their scopes.
            #expect(try await client.userInfo(first.access).json["name"] != nil)
            let again = try await client.refresh(less.refresh)
            #expect(
                Set((again.json["scope"] as? String ?? "").split(separator: " "))
                    == ["email", "profile", "offline_access", "openid", "roles"])
            let all = try await client.userInfo(TestServer.tokens(again).access).json
            #expect(all["name"] != nil && all["email"] != nil && all["roles"] != nil && all["grade"] != nil)
        }
    }

    @Test("two refreshes of one second give two access tokens")
    func differentTokens() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let first = try await client.tokens(as: server.maple.nadia, scope: "openid offline_access")
            let second = try TestServer.tokens(try await client.refresh(first.refresh))
            #expect(first.access != second.access)
            for access in [first.access, second.access] {
                #expect(try await client.userInfo(access).status == 200)
            }
            let compatible = try await server.tokens(server.rival, as: server.maple.nadia)
            let same = try TestServer.tokens(try await server.refreshSignIn(compatible.refresh, server.rival))
            #expect(compatible.access != same.access)
        }
    }

    /// Shows an assertion; past client authentication there is a token that nobody knows, which is 400.
    private static func status(
        ofAssertion jti: String, for seconds: Int = 600, by app: TestApp, on server: TestServer
    ) async throws -> Int {
        let expiry = Int(server.fixed.now.timeIntervalSince1970) + seconds
        let assertion = try app.secret(
            at: server.fixed.now, claims: ["iss": app.clientID, "aud": issuer, "jti": jti, "exp": expiry])
        let answer = try await server.standardCall(
            "token",
            [
                "grant_type": "refresh_token", "refresh_token": "x", "client_assertion": assertion,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
        return answer.status
    }

    @Test("an assertion with a jti is used once, of ten at once by one", arguments: TestDatabase.available)
    func usedAssertion(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let app = server.quizzler
            let first = try await Self.status(ofAssertion: "a", by: app, on: server)
            // Signed anew it is the same.
            let again = try await Self.status(ofAssertion: "a", by: app, on: server)
            let longer = try await Self.status(ofAssertion: "a", for: 900, by: app, on: server)
            let others = try await Self.status(ofAssertion: "a", by: server.grouped(), on: server)
            #expect(first == 400 && again == 401 && longer == 401 && others == 400)
            let atOnce = await concurrently(0..<10) { _ in
                (try? await Self.status(ofAssertion: "b", by: app, on: server)) ?? 0
            }
            #expect(atOnce.sorted() == [400] + Array(repeating: 401, count: 9))
            // An assertion that is refused is not recorded, and the records of expired ones are deleted.
            let over = try await Self.status(ofAssertion: "c", for: -500, by: app, on: server)
            let kept = try await server.count("used_assertion")
            #expect(over == 401 && kept == 3)
            server.fixed.advance(by: 722)
            let next = try await Self.status(ofAssertion: "d", by: app, on: server)
            let left = try await server.count("used_assertion")
            #expect(next == 400 && left == 1)
        }
    }

    @Test("revoking ends one grant, and not the person's use of the app")
    func revoke() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let nadia = server.maple.nadia
            let phone = try await client.tokens(as: nadia, scope: "openid offline_access")
            let desk = try await client.tokens(as: nadia, scope: "openid offline_access")
            for _ in 0..<2 { #expect(try await client.revoke(phone.refresh).line == "200 ") }
            #expect(try await client.revoke("rubbish").line == "200 ")
            #expect(try await client.userInfo(phone.access).status == 401)
            #expect(try await client.userInfo(desk.access).status == 200)
            #expect(try await client.call("revoke", ["token": "x", "token_type_hint": "whatever"]).line == "200 ")
            #expect(try await server.count("sign_in_consent WHERE revoked_at IS NULL") == 1)
        }
    }

    @Test("pages of a browser app's own origin may read the answers, those of others not; a preflight says so")
    func crossOrigin() async throws {
        try await TestServer.with { server in
            try await server.put(returnURLs: [
                try ReturnURL("https://App.quizzler.example:443/callback", allowingLoopback: false),
                try ReturnURL("http://localhost:5173/callback", allowingLoopback: true),
                try ReturnURL(native: "com.quizzler.app:/callback"),
            ])
            let own = ["https://app.quizzler.example", "http://localhost:5173"]
            func preflight(_ origin: String, _ path: String) async throws -> Answer {
                try await server.browser().send(
                    .OPTIONS, path,
                    [
                        "Origin": origin, "Access-Control-Request-Method": "POST",
                        "Access-Control-Request-Headers": "authorization,content-type",
                    ])
            }
            // Pages may read the answers only of clients that are registered as public.
            #expect(try await preflight(own[0], "/oidc/token")["Access-Control-Allow-Origin"] == nil)
            try await server.makePublic()
            for path in ["/oidc/token", "/oidc/userinfo", "/oidc/revoke"] {
                for origin in own {
                    let answer = try await preflight(origin, path)
                    #expect(answer.status == 204)
                    #expect(answer["Access-Control-Allow-Origin"] == origin)
                    #expect(answer["Access-Control-Allow-Methods"] == "GET, POST")
                    #expect(answer["Access-Control-Allow-Headers"] == "Authorization, Content-Type, Idempotency-Key")
                    #expect(answer["Vary"] == "Origin")
                    // Errors can be read as well.
                    let posted = try await server.browser().send(
                        .POST, path, ["Origin": origin, "Content-Type": "application/x-www-form-urlencoded"], body: "")
                    #expect(posted.status >= 400)
                    #expect(posted["Access-Control-Allow-Origin"] == origin)
                    #expect(posted["Access-Control-Allow-Credentials"] == nil)
                }
                for origin in [
                    "null", "*", "https://evil.example", "https://app.quizzler.example.evil.example",
                    "http://app.quizzler.example", "https://app.quizzler.example:8443", "http://localhost:5174",
                    "https://com.quizzler.example", "https://org.rival.example", "com.quizzler.app:",
                ] {
                    #expect(try await preflight(origin, path)["Access-Control-Allow-Origin"] == nil, "\(origin)")
                    let posted = try await server.standardCall(
                        String(path.dropFirst("/oidc/".count)), [:], origin: origin)
                    #expect(posted["Access-Control-Allow-Origin"] == nil, "\(origin)")
                }
            }
            // A domain is a host of the app's pages too, with every port; what lies below it is another one.
            let domain = "https://pages.quizzler.example"
            #expect(try await preflight(domain, "/oidc/token")["Access-Control-Allow-Origin"] == nil)
            try await server.put(domains: ["pages.quizzler.example"])
            for origin in [domain, "https://pages.quizzler.example:8443", own[0]] {
                #expect(try await preflight(origin, "/oidc/token")["Access-Control-Allow-Origin"] == origin)
            }
            for origin in [
                "http://pages.quizzler.example", "https://x.pages.quizzler.example", "https://PAGES.quizzler.example",
                "https://pages.quizzler.example:443", "https://pages.quizzler.example/",
            ] {
                #expect(try await preflight(origin, "/oidc/token")["Access-Control-Allow-Origin"] == nil, "\(origin)")
            }
            // Where cookies count, nobody reads across origins.
            for path in ["/oidc/authorize", "/auth/token", "/auth/revoke", "/", "/oidc/device_authorization"] {
                #expect(try await preflight(own[0], path)["Access-Control-Allow-Origin"] == nil, "\(path)")
            }
        }
    }
}
