import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct OpenIDClientTests {
    static let callback = "http://127.0.0.1:4711/"

    static func metadata(
        issuer: String = "https://lanyard.example/oidc", token: String = "https://lanyard.example/oidc/token",
        isIssuerNamed: Bool = true
    ) -> Script.Step {
        let endpoints = "https://lanyard.example/oidc"
        return json([
            "issuer": issuer, "authorization_endpoint": "\(endpoints)/authorize", "token_endpoint": token,
            "jwks_uri": "\(endpoints)/keys", "userinfo_endpoint": "\(endpoints)/userinfo",
            "revocation_endpoint": "\(endpoints)/revoke",
            "device_authorization_endpoint": "\(endpoints)/device_authorization",
            "end_session_endpoint": "\(endpoints)/end_session",
            "authorization_response_iss_parameter_supported": isIssuerNamed, "response_types_supported": ["code"],
        ])
    }

    private static func tokens(_ access: String, refresh: String) -> Script.Step {
        json(["access_token": access, "token_type": "Bearer", "expires_in": 3_600, "refresh_token": refresh])
    }

    /// - Parameter object: of strings, numbers, booleans and lists of these, which can always be written as JSON.
    private static func json(_ object: [String: Any]) -> Script.Step {
        .ok(String(decoding: try! JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self))
    }

    static func claims(_ more: String = #","nonce":"n1""#) -> String {
        SignInClientTests.claims(more: more)
            .replacing("https://lanyard.example", with: "https://lanyard.example/oidc")
    }

    @Test("endpoints come from the discovery document, which is read once a day")
    func discovery() async throws {
        let script = Script([Self.metadata(), Self.metadata()])
        let client = script.openIDClient()
        let url = try await client.authorizationURL(
            redirectURI: Self.callback, scopes: [.profile, .email], attempt: SignInClientTests.attempt,
            prompt: "login", loginHint: "m@x.example")
        #expect(
            url == "https://lanyard.example/oidc/authorize?client_id=org.hillfield.planner"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2F&response_type=code"
                + "&scope=openid%20profile%20email&state=s1&nonce=n1"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&prompt=login&login_hint=m%40x.example")
        script.advance(by: 86_399)
        _ = try await client.metadata()
        #expect(
            script.requests.map(\.url) == ["https://lanyard.example/oidc/.well-known/openid-configuration"])
        script.advance(by: 1)
        _ = try await client.metadata()
        #expect(script.requests.count == 2)
    }

    @Test(
        "another provider's document is not believed",
        arguments: [
            "https://lanyard.example/oidc/", "https://lanyard.example", "https://evil.example/oidc",
        ])
    func wrongIssuer(issuer: String) async throws {
        let client = Script([Self.metadata(issuer: issuer)]).openIDClient()
        await #expect(throws: LanyardClientError.invalidToken(.wrongIssuer)) { try await client.metadata() }
    }

    @Test("a document that came safely does not lead to where others can listen")
    func unsafeEndpoint() async throws {
        let client = Script([Self.metadata(token: "http://lanyard.example/oidc/token")]).openIDClient()
        await #expect {
            try await client.metadata()
        } throws: {
            if case .unexpectedAnswer(_, let text, _) = $0 as? LanyardClientError {
                text.contains("https")
            } else {
                false
            }
        }
    }

    @Test("a document that could not be read is asked for again")
    func unavailable() async throws {
        let script = Script([.status(503), Self.metadata()])
        let client = script.openIDClient()
        await #expect(throws: LanyardClientError.unexpectedAnswer(status: 503, "", requestID: nil)) {
            try await client.metadata()
        }
        _ = try await client.metadata()
    }

    @Test("a public client signs somebody in without a secret")
    func finish() async throws {
        let script = Script([
            Self.metadata(), try await SignInClientTests.tokens(Self.claims()), .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let answer = try AuthorizationAnswer(
            "code=c1&state=s1&iss=https%3A%2F%2Flanyard.example%2Foidc", state: "s1")
        let result = try await script.openIDClient().finish(
            answer, attempt: SignInClientTests.attempt, redirectURI: Self.callback)
        #expect(result.identity.subject == "s")
        #expect(script.requests[1].url == "https://lanyard.example/oidc/token")
        #expect(
            script.requests[1].parameters == [
                "client_id": "org.hillfield.planner", "grant_type": "authorization_code", "code": "c1",
                "redirect_uri": Self.callback, "code_verifier": SignInClientTests.attempt.codeVerifier,
            ])
        #expect(script.requests[2].url == "https://lanyard.example/oidc/keys")
    }

    @Test("a client with a secret shows it in the form")
    func secret() async throws {
        let script = Script([Self.metadata(), .token("a")])
        let client = script.openIDClient(clientSecret: "s3cret")
        _ = try await client.refresh(KeptRefreshToken("r1"))
        #expect(script.requests[1].parameters["client_secret"] == "s3cret")
        #expect(!"\(client.configuration)".contains("s3cret"))
    }

    @Test(
        "a code is not shown to a provider that did not issue it",
        arguments: [
            "code=c1&state=s1&iss=https%3A%2F%2Fevil.example", "code=c1&state=s1",
        ])
    func mixUp(fields: String) async throws {
        let script = Script([Self.metadata()])
        let client = script.openIDClient()
        let answer = try AuthorizationAnswer(fields, state: "s1")
        await #expect(throws: LanyardClientError.invalidToken(.wrongIssuer)) {
            try await client.finish(answer, attempt: SignInClientTests.attempt, redirectURI: Self.callback)
        }
        #expect(script.requests.count == 1)
    }

    @Test("a provider that never names itself in answers need not")
    func namelessProvider() async throws {
        let script = Script([
            Self.metadata(isIssuerNamed: false), try await SignInClientTests.tokens(Self.claims()),
            .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let answer = try AuthorizationAnswer("code=c1&state=s1", state: "s1")
        _ = try await script.openIDClient().finish(
            answer, attempt: SignInClientTests.attempt, redirectURI: Self.callback)
    }

    @Test("the compatible profile's tokens are not the standard profile's")
    func otherProfile() async throws {
        let client = Script([
            Self.metadata(), try await SignInClientTests.tokens(SignInClientTests.claims()),
            .ok(try TestKeys.keySet(keyID: "k1")),
        ]).openIDClient()
        let answer = try AuthorizationAnswer(
            "code=c1&state=s1&iss=https%3A%2F%2Flanyard.example%2Foidc", state: "s1")
        await #expect(throws: LanyardClientError.invalidToken(.wrongIssuer)) {
            try await client.finish(answer, attempt: SignInClientTests.attempt, redirectURI: Self.callback)
        }
    }

    @Test("what is said about a person is about that person")
    func userInfo() async throws {
        let info =
            #"{"sub":"s","given_name":"Maria","family_name":"Ruiz","email_verified":"false","org_id":"o","roles":["Student"],"grade":"7"}"#
        let script = Script([Self.metadata(), .ok(info), .ok(info), .answer(401, "", [:])])
        let client = script.openIDClient()
        let token = AccessToken(value: "a1", expiresAt: script.now)
        let person = try await client.userInfo(token, subject: "s")
        #expect(
            person
                == UserInfo(
                    subject: "s", givenName: "Maria", familyName: "Ruiz", isEmailVerified: false, organizationID: "o",
                    roles: [.student], grade: "7"))
        #expect(script.requests[1].accessToken == "a1")
        #expect(script.requests[1].url == "https://lanyard.example/oidc/userinfo")
        await #expect(throws: LanyardClientError.invalidToken(.wrongSubject)) {
            try await client.userInfo(token, subject: "t")
        }
        await #expect(throws: LanyardClientError.oauth(.invalidToken, requestID: nil)) {
            try await client.userInfo(token, subject: "s")
        }
    }

    @Test("revoking and signing out use the provider's endpoints")
    func ending() async throws {
        let script = Script([Self.metadata(), .status(200)])
        let client = script.openIDClient()
        try await client.revoke("r1")
        #expect(script.requests[1].url == "https://lanyard.example/oidc/revoke")
        #expect(script.requests[1].parameters == ["token": "r1", "client_id": "org.hillfield.planner"])
        #expect(
            try await client.endSessionURL(identityToken: "i", postLogoutRedirectURI: "https://p.example/")
                == "https://lanyard.example/oidc/end_session?client_id=org.hillfield.planner&id_token_hint=i"
                + "&post_logout_redirect_uri=https%3A%2F%2Fp.example%2F")
    }

    @Test("an access token is refreshed once for all who need it, and the refresh token in its place is kept")
    func rotation() async throws {
        let script = Script([
            Self.metadata(),
            Self.tokens("a2", refresh: "r2"),
            Self.tokens("a3", refresh: "r3"),
        ])
        let kept = Kept()
        let session = OpenIDSession(
            client: script.openIDClient(), refreshToken: KeptRefreshToken("r1")
        ) { await kept.keep($0) }
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask { try await session.accessToken().value }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values == ["a2"])
        #expect(script.requests.count == 2)
        script.advance(by: 3_600)
        #expect(try await session.accessToken().value == "a3")
        #expect(script.requests[2].parameters["refresh_token"] == "r2")
        #expect(await kept.tokens.map(\.token) == ["r2", "r3"])
        #expect(await session.refreshToken == kept.tokens.last)
        // Each exchange has a key of its own, which was kept with the token before it was used.
        #expect(await script.requests[2].idempotencyKey == kept.tokens.first?.idempotencyKey)
        #expect(Set(script.requests.dropFirst().map(\.idempotencyKey)).count == 2)
    }

    @Test("nobody gets an access token whose refresh token could not be kept; the next caller gets another pair")
    func notKept() async throws {
        let script = Script([
            Self.metadata(),
            Self.tokens("a2", refresh: "r2"),
            Self.tokens("a3", refresh: "r3"),
        ])
        struct Full: Error {}
        let kept = Kept()
        let session = OpenIDSession(
            client: script.openIDClient(), refreshToken: KeptRefreshToken("r1")
        ) { token in
            if token.token == "r2" { throw Full() }
            await kept.keep(token)
        }
        await #expect(throws: Full.self) { try await session.accessToken() }
        #expect(try await session.accessToken().value == "a3")
        #expect(script.requests[2].parameters["refresh_token"] == "r2")
        #expect(await kept.tokens.map(\.token) == ["r3"])
    }

    @Test("an exchange whose answer was lost is made again with the same token and the same key")
    func lostAnswer() async throws {
        let script = Script([
            Self.metadata(), .failure,
            Self.tokens("a2", refresh: "r2"),
        ])
        let kept = KeptRefreshToken("r1")
        // If the program is killed during the exchange, only the token that it has stored is left.
        let stored = try JSONEncoder().encode(kept)
        let first = OpenIDSession(client: script.openIDClient(), refreshToken: kept) { _ in }
        await #expect(throws: LanyardClientError.transport("connection lost")) { try await first.accessToken() }
        let again = try JSONDecoder().decode(KeptRefreshToken.self, from: stored)
        #expect(again == kept)
        #expect(try await first.accessToken().value == "a2")
        let requests = script.requests.filter { $0.url.hasSuffix("/token") }
        #expect(requests.map { $0.parameters["refresh_token"] } == ["r1", "r1"])
        #expect(requests.map(\.idempotencyKey) == [kept.idempotencyKey, kept.idempotencyKey])
        #expect(!"\(kept)".contains(kept.idempotencyKey))
        #expect(UUID(uuidString: kept.idempotencyKey) != nil)
    }

    private actor Kept {
        private(set) var tokens: [KeptRefreshToken] = []
        func keep(_ token: KeptRefreshToken) { tokens.append(token) }
    }
}
