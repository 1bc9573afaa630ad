import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct RetryTests {
    @Test(
        "a rate limit is waited for as long as its header says",
        arguments: [
            (["x-retry-after": "7", "retry-after": "9"], Duration.seconds(7)),
            (["retry-after": "9"], .seconds(9)),
            ([:], .milliseconds(500)),
            (["x-retry-after": "soon"], .milliseconds(500)),
        ])
    func rateLimit(headers: [String: String], delay: Duration) async throws {
        let script = Script([.status(429, headers), .users("1")])
        let client = try script.client()
        let users = try await client.roster(script.session(client)).users().collect()
        #expect(users.map(\.id) == ["1"])
        #expect(script.sleeps == [delay])
    }

    @Test("a rate limit that asks for too long a wait fails at once")
    func longRateLimit() async throws {
        let script = Script([.status(429, ["x-retry-after": "61"])])
        let client = try script.client()
        await #expect(throws: LanyardClientError.rateLimited(retryAfter: .seconds(61), requestID: nil)) {
            try await client.roster(script.session(client)).organization()
        }
        #expect(script.sleeps.isEmpty)
    }

    @Test("failures of service and network are tried again with doubling waits, in the middle of a list too")
    func backoff() async throws {
        let script = Script([.users("1", next: "p2"), .status(500), .failure, .status(503), .users("2")])
        let client = try script.client()
        let users = try await client.roster(script.session(client)).users().collect()
        #expect(users.map(\.id) == ["1", "2"])
        #expect(script.sleeps == [.milliseconds(500), .seconds(1), .seconds(2)])
    }

    @Test("after the last attempt the failure is thrown")
    func givesUp() async throws {
        let script = Script([.failure, .status(500), .failure, .failure, .status(502)])
        let client = try script.client()
        await #expect(throws: LanyardClientError.roster(status: 502, error: nil, message: nil, requestID: nil)) {
            try await client.roster(script.session(client)).organization()
        }
        #expect(script.requests.count == 5)
        #expect(script.sleeps.count == 4)
    }

    @Test("a refusal is not tried again", arguments: [400, 403, 404])
    func refusal(status: Int) async throws {
        let script = Script([.status(status), .ok("{}")])
        let client = try script.client()
        await #expect(throws: LanyardClientError.self) {
            try await client.roster(script.session(client)).organization()
        }
        #expect(script.requests.count == 1)
    }
}
