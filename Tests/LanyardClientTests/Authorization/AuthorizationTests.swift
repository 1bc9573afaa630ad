import Crypto
import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct AuthorizationTests {
    @Test("the authorization URL has every parameter, percent-encoded")
    func authorizationURL() throws {
        let url = try Script().client().authorizationURL(
            redirectURI: "https://planner.example/cb?a=b", scopes: [.usersRead, .classesRead], state: "n3 kP&",
            nonce: "ñ", codeChallenge: "E9Mel-_~")
        #expect(
            url == "https://lanyard.example/auth/oauth2/v2/authorize?client_id=org.hillfield.planner"
                + "&redirect_uri=https%3A%2F%2Fplanner.example%2Fcb%3Fa%3Db&response_type=code"
                + "&scope=edu.users.read%20edu.classes.read&state=n3%20kP%26&nonce=%C3%B1"
                + "&code_challenge=E9Mel-_~&code_challenge_method=S256")
    }

    @Test("parameters that were not given are left out")
    func shortAuthorizationURL() throws {
        let url = try Script().client().authorizationURL(
            redirectURI: "https://p.example", scopes: [.testRead], state: "s")
        #expect(!url.contains("nonce"))
        #expect(!url.contains("code_challenge"))
        #expect(url.hasSuffix("&scope=edu.rosterapi.test.read&state=s"))
    }

    @Test("the code challenge is that of RFC 7636, appendix B")
    func codeChallenge() {
        let attempt = AuthorizationAttempt(
            state: "", nonce: "", codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(attempt.codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("what is logged or dumped has no secret in it")
    func redaction() {
        let configuration = LanyardClient.Configuration(
            baseURL: "https://lanyard.example", clientID: "org.hillfield.planner", teamID: "T", keyID: "K",
            privateKeyPEM: "s3cret")
        let token = AccessToken(value: "s3cret", expiresAt: Date(timeIntervalSince1970: 0))
        let values: [Any] = [
            configuration, token, Tokens(accessToken: token, refreshToken: "s3cret", identityToken: "s3cret"),
            AuthorizationAttempt(state: "s3cret", nonce: "s3cret", codeVerifier: "s3cret"),
        ]
        for value in values {
            var text = "\(value)" + String(reflecting: value) + String(describing: [value])
            dump(value, to: &text)
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect("\(configuration)".contains("org.hillfield.planner"))
    }

    @Test("an attempt's three secrets differ and have 256 bits each")
    func attempt() {
        let attempt = AuthorizationAttempt.random()
        #expect(Set([attempt.state, attempt.nonce, attempt.codeVerifier]).count == 3)
        #expect([attempt.state, attempt.nonce, attempt.codeVerifier].allSatisfy { $0.count == 43 })
    }

    @Test("an exchange sends the form and returns the tokens")
    func exchange() async throws {
        let script = Script([
            .ok(#"{"access_token":"a1","token_type":"Bearer","expires_in":3600,"refresh_token":"r1","id_token":"i1"}"#)
        ])
        let tokens = try await script.client().exchange(
            code: "c 1", redirectURI: "https://planner.example/cb", codeVerifier: "v1")

        #expect(
            tokens
                == Tokens(
                    accessToken: AccessToken(value: "a1", expiresAt: script.now.addingTimeInterval(3_600)),
                    refreshToken: "r1", identityToken: "i1"))
        let request = try #require(script.requests.first)
        #expect(request.url == "https://lanyard.example/auth/oauth2/v2/token")
        #expect(request.accessToken == nil)
        var parameters = request.parameters
        #expect(parameters.removeValue(forKey: "client_secret")?.split(separator: ".").count == 3)
        #expect(
            parameters == [
                "client_id": "org.hillfield.planner", "grant_type": "authorization_code", "code": "c 1",
                "redirect_uri": "https://planner.example/cb", "code_verifier": "v1",
            ])
    }

    @Test("a refresh and a revocation send their forms")
    func refreshAndRevoke() async throws {
        let script = Script([.token("a2"), .status(200)])
        let client = try script.client()
        let tokens = try await client.refresh("r1")
        try await client.revoke("r1", hint: .refreshToken)

        #expect(tokens.accessToken.value == "a2")
        #expect(tokens.refreshToken == nil)
        #expect(script.requests.map(\.url).map { $0.split(separator: "/").last } == ["token", "revoke"])
        #expect(script.requests[0].parameters["grant_type"] == "refresh_token")
        #expect(script.requests[0].parameters["refresh_token"] == "r1")
        #expect(script.requests[1].parameters["token"] == "r1")
        #expect(script.requests[1].parameters["token_type_hint"] == "refresh_token")
    }

    @Test("a refusal is the error word with the request id, and is not tried again")
    func refusal() async throws {
        let script = Script([.answer(400, #"{"error":"invalid_grant"}"#, ["x-request-id": "q7"])])
        let client = try script.client()
        await #expect(throws: LanyardClientError.oauth(.invalidGrant, requestID: "q7")) {
            try await client.exchange(code: "used", redirectURI: "https://planner.example/cb")
        }
        #expect(script.requests.count == 1)
    }

    @Test("an exchange is never repeated, because it spends its code", arguments: [Script.Step.failure, .status(503)])
    func exchangeOnce(step: Script.Step) async throws {
        let script = Script([step])
        let client = try script.client()
        await #expect(throws: LanyardClientError.self) {
            try await client.exchange(code: "c", redirectURI: "https://planner.example/cb")
        }
        #expect(script.requests.count == 1)
    }

    @Test("the error page of a proxy is an unexpected answer")
    func proxy() async throws {
        let client = try Script([.answer(404, "<html>", [:])]).client()
        await #expect(throws: LanyardClientError.unexpectedAnswer(status: 404, "<html>", requestID: nil)) {
            try await client.refresh("r")
        }
    }

    @Test("text that is no private key is refused at once")
    func badKey() {
        #expect(throws: LanyardClientError.invalidPrivateKey) {
            try Script().client { $0.privateKeyPEM = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }
        }
    }
}
