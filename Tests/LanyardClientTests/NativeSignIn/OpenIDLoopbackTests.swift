import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite(.timeLimit(.minutes(1))) struct OpenIDLoopbackTests {
    @Test("a program on this machine signs somebody in by the browser")
    func browser() async throws {
        let script = Script([OpenIDClientTests.metadata()])
        let browser = FakeBrowser { parameters in
            script.append(
                try await SignInClientTests.tokens(
                    OpenIDClientTests.claims(#","nonce":"\#(parameters["nonce"]!)""#)),
                .ok(try TestKeys.keySet(keyID: "k1")))
            return ["code": "c1", "iss": "https://lanyard.example/oidc"]
        }
        let result = try await script.openIDClient().signIn(scopes: [.email], path: "/done", presentation: browser)
        #expect(result.identity.subject == "s")
        let redirectURI = try #require(browser.parameters["redirect_uri"])
        #expect(redirectURI.wholeMatch(of: #/http://127\.0\.0\.1:[0-9]+/done/#) != nil)
        #expect(script.requests[1].parameters["redirect_uri"] == redirectURI)
        let verifier = try #require(script.requests[1].parameters["code_verifier"])
        #expect(
            AuthorizationAttempt(state: "", nonce: "", codeVerifier: verifier).codeChallenge
                == browser.parameters["code_challenge"])
    }

    @Test("who says no is not signed in")
    func refused() async throws {
        let client = Script([OpenIDClientTests.metadata()]).openIDClient()
        await #expect(throws: LanyardClientError.oauth(.accessDenied, requestID: nil)) {
            try await client.signIn(scopes: [], presentation: FakeBrowser { _ in ["error": "access_denied"] })
        }
    }

    @Test("where there is no browser, another device lets this program in")
    func device() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), DeviceAuthorizationTests.device(),
            try await SignInClientTests.tokens(OpenIDClientTests.claims("")), .ok(try TestKeys.keySet(keyID: "k1")),
        ])
        let browser = FakeBrowser(nil)
        #expect(try await script.openIDClient().signIn(scopes: [], presentation: browser).identity.subject == "s")
        #expect(browser.shown == ["WDJB-MJHT"])
    }
}
