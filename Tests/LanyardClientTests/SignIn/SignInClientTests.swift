import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct SignInClientTests {
    static let attempt = AuthorizationAttempt(
        state: "s1", nonce: "n1", codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    static let callback = "https://planner.example/cb"

    static func claims(subject: String = "s", more: String = #","nonce":"n1""#) -> String {
        #"{"iss":"https://lanyard.example","aud":"org.hillfield.planner","sub":"\#(subject)","iat":1767225600,"#
            + #""exp":1767312000\#(more)}"#
    }

    static func tokens(_ claims: String, accessToken: String = "a1") async throws -> Script.Step {
        .ok(
            #"{"access_token":"\#(accessToken)","token_type":"Bearer","expires_in":3600,"refresh_token":"r1","#
                + #""id_token":"\#(try await TestKeys.sign(claims))"}"#)
    }

    @Test("the authorization URL asks for a form if a name or an address is asked for")
    func authorizationURL() throws {
        let url = try Script().client().signIn.authorizationURL(
            redirectURI: Self.callback, scopes: [.name, .email], attempt: Self.attempt)
        #expect(
            url == "https://lanyard.example/auth/authorize?client_id=org.hillfield.planner"
                + "&redirect_uri=https%3A%2F%2Fplanner.example%2Fcb&response_type=code&response_mode=form_post"
                + "&scope=name%20email&state=s1&nonce=n1"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
    }

    @Test(
        "the response mode is one that the service accepts",
        arguments: [
            ([], ResponseType.code, nil, "query"), ([], .codeAndIdentityToken, nil, "form_post"),
            ([.email], .code, nil, "form_post"), ([], .codeAndIdentityToken, .fragment, "fragment"),
        ] as [([Scope], ResponseType, ResponseMode?, String)])
    func responseMode(scopes: [Scope], type: ResponseType, mode: ResponseMode?, expected: String) throws {
        let url = try Script().client().signIn.authorizationURL(
            redirectURI: Self.callback, scopes: scopes, attempt: Self.attempt, responseType: type, responseMode: mode)
        #expect(url.contains("&response_mode=\(expected)&"))
        #expect(url.contains("scope=") == !scopes.isEmpty)
    }

    @Test("a sign-in is finished with one exchange, and says who it is")
    func finish() async throws {
        let script = Script([
            try await Self.tokens(
                Self.claims(more: #","nonce":"n1","email":"m@x.example","at_hash":"\#(TestKeys.hash("a1"))""#)),
            .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let answer = try AuthorizationAnswer(
            #"code=c1&state=s1&user={"name":{"firstName":"Maria","lastName":"Ruiz"}}"#, state: "s1")
        let result = try await script.client().signIn.finish(
            answer, attempt: Self.attempt, redirectURI: Self.callback)

        #expect(result.identity.subject == "s")
        #expect(result.identity.email == "m@x.example")
        #expect(result.user?.name?.firstName == "Maria")
        #expect(result.tokens.refreshToken == "r1")
        #expect(
            script.requests.map(\.url) == ["https://lanyard.example/auth/token", "https://lanyard.example/auth/keys"])
        var parameters = script.requests[0].parameters
        #expect(parameters.removeValue(forKey: "client_secret")?.split(separator: ".").count == 3)
        #expect(
            parameters == [
                "client_id": "org.hillfield.planner", "grant_type": "authorization_code", "code": "c1",
                "redirect_uri": Self.callback, "code_verifier": Self.attempt.codeVerifier,
            ])
    }

    @Test(
        "nobody is signed in by a token of another attempt or for another access token",
        arguments: [
            (claims(more: #","nonce":"n2""#), TokenDefect.wrongNonce), (claims(more: ""), .wrongNonce),
            (claims(more: #","nonce":"n1","at_hash":"\#(TestKeys.hash("a2"))""#), .wrongHash),
        ])
    func refused(claims: String, defect: TokenDefect) async throws {
        let client = try Script([try await Self.tokens(claims), .ok(try TestKeys.keySet(keyID: "k1"))]).client()
        let answer = try AuthorizationAnswer("code=c1&state=s1", state: "s1")
        await #expect(throws: LanyardClientError.invalidToken(defect)) {
            try await client.signIn.finish(answer, attempt: Self.attempt, redirectURI: Self.callback)
        }
    }

    @Test("the token beside the code is verified before the code is spent, and has to be about the same person")
    func hybrid() async throws {
        let keySet = Script.Step.ok(try TestKeys.keySet(keyID: "k1"))
        let hash = TestKeys.hash("c1")
        let front = try await TestKeys.sign(Self.claims(more: #","nonce":"n1","c_hash":"\#(hash)""#))
        let answer = try AuthorizationAnswer("code=c1&state=s1&id_token=\(front)", state: "s1")

        let good = Script([keySet, try await Self.tokens(Self.claims())])
        _ = try await good.client().signIn.finish(answer, attempt: Self.attempt, redirectURI: Self.callback)

        let client = try Script([keySet, try await Self.tokens(Self.claims(subject: "t"))]).client()
        await #expect(throws: LanyardClientError.invalidToken(.wrongSubject)) {
            try await client.signIn.finish(answer, attempt: Self.attempt, redirectURI: Self.callback)
        }

        let swapped = try AuthorizationAnswer("code=c2&state=s1&id_token=\(front)", state: "s1")
        let script = Script([keySet])
        let other = try script.client()
        await #expect(throws: LanyardClientError.invalidToken(.wrongHash)) {
            try await other.signIn.finish(swapped, attempt: Self.attempt, redirectURI: Self.callback)
        }
        #expect(script.requests.count == 1)
    }

    @Test("the code of a native app is exchanged without a redirect URI")
    func nativeExchange() async throws {
        let script = Script([.token("a")])
        _ = try await script.client().signIn.exchange(code: "c", redirectURI: nil)
        #expect(script.requests[0].parameters["redirect_uri"] == nil)
        #expect(script.requests[0].parameters["code_verifier"] == nil)
    }

    @Test("a refresh and a revocation go to the endpoints for people, and an empty answer is a good one")
    func refreshAndRevoke() async throws {
        let script = Script([.token("a2"), .status(200)])
        let client = try script.client()
        #expect(try await client.signIn.refresh("r1").accessToken.value == "a2")
        try await client.signIn.revoke("r1", hint: .refreshToken)
        #expect(
            script.requests.map(\.url) == ["https://lanyard.example/auth/token", "https://lanyard.example/auth/revoke"])
        #expect(script.requests[0].parameters["grant_type"] == "refresh_token")
        #expect(script.requests[1].parameters["token_type_hint"] == "refresh_token")
    }

    @Test("a refusal comes with the service's word and its description")
    func refusal() async throws {
        let script = Script([
            .answer(
                400, #"{"error":"invalid_grant","error_description":"The code has already been used."}"#,
                ["x-request-id": "q1"])
        ])
        let client = try script.client()
        await #expect(
            throws: LanyardClientError.oauth(
                .invalidGrant, description: "The code has already been used.", requestID: "q1")
        ) {
            try await client.signIn.exchange(code: "c", redirectURI: Self.callback)
        }
        #expect(script.requests.count == 1)
    }

    @Test("where sign-in is can be set apart from everything else")
    func baseURL() async throws {
        let script = Script([.token("a")])
        let client = try script.client { $0.signInBaseURL = "https://id.example/auth" }
        _ = try await client.signIn.refresh("r")
        #expect(script.requests.map(\.url) == ["https://id.example/auth/token"])
    }
}
