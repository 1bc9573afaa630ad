import Foundation
import LanyardClient
import Testing

@Suite struct CredentialStateTests {
    @Test(
        "the service's words are states",
        arguments: [
            ("authorized", LanyardIDProvider.CredentialState.authorized), ("revoked", .revoked),
            ("notFound", .notFound), ("transferred", .transferred),
        ])
    func states(word: String, state: LanyardIDProvider.CredentialState) async throws {
        let script = Script([.ok(#"{"state":"\#(word)"}"#)])
        #expect(try await script.provider().credentialState(forUserID: "001.a+/b.1") == state)
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/credentialstate"])
        #expect(script.requests[0].parameters == ["client_id": "org.hillfield.planner", "user": "001.a+/b.1"])
    }

    @Test("no answer is no state", arguments: [.failure, .status(503), .ok(#"{"state":"asleep"}"#)] as [Script.Step])
    func unknown(step: Script.Step) async throws {
        let provider = Script([step]).provider()
        await #expect(throws: LanyardClientError.self) { try await provider.credentialState(forUserID: "s") }
        let outcome = await withCheckedContinuation { continuation in
            provider.getCredentialState(forUserID: "s") { continuation.resume(returning: ($0, $1)) }
        }
        #expect(outcome.0 == .notFound)
        #expect(outcome.1 is LanyardClientError)
    }
}
