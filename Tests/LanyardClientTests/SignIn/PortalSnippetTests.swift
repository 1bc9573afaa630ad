import LanyardAPI
import LanyardClient
import Testing

/// What the developer portal gives to copy: the lines between the marks stand there with the developer's own identifiers. A
/// test of `ConsolePages` compares both.
@Suite struct PortalSnippetTests {
    @Test("the snippet of the developer portal compiles, and asks the server for tokens")
    func swift() async {
        // Nobody listens on port 1.
        await #expect {
            try await Self.play()
        } throws: { error in
            guard case LanyardClientError.transport = error else { return false }
            return true
        }
    }

    private static func play() async throws {
        let privateKey = TestKeys.clientPEM
        // snippet begins
        let client = try LanyardClient(
            configuration: .init(
                baseURL: "http://127.0.0.1:1",
                clientID: "com.example.quizzler",
                teamID: "T4Z8N1C6PQ",
                keyID: "KEY_ID",
                privateKeyPEM: privateKey))
        let attempt = AuthorizationAttempt.random()  // keep it with this browser, for an hour
        let url = client.signIn.authorizationURL(
            redirectURI: "https://quizzler.example/callback",
            scopes: [.name, .email],
            attempt: attempt)
        // Send the browser to url. It comes back with a form:
        // snippet pauses
        #expect(url.hasPrefix("http://127.0.0.1:1/auth/authorize?client_id=com.example.quizzler&"))
        let form = "code=c1&state=\(attempt.state)"
        // snippet goes on
        let answer = try AuthorizationAnswer(form, state: attempt.state)
        let person = try await client.signIn.finish(
            answer,
            attempt: attempt,
            redirectURI: "https://quizzler.example/callback")
        print(person.identity.subject)
        // snippet ends
    }
}
