import Foundation
import LanyardAPI
import LanyardClient
import Testing

@Suite struct RosterSessionTests {
    @Test("a session without an access token gets one first")
    func firstToken() async throws {
        let script = Script([.token("a1"), .ok("{}"), .ok("{}")])
        let client = try script.client()
        let roster = client.roster(RosterSession(client: client, refreshToken: "r0"))
        _ = try await roster.organization()
        _ = try await roster.organization()
        #expect(script.requests.map(\.accessToken) == [nil, "a1", "a1"])
        #expect(script.requests[0].parameters["refresh_token"] == "r0")
    }

    @Test("a token is replaced a minute before it expires")
    func aheadOfExpiry() async throws {
        let script = Script([.ok("{}"), .token("a1"), .ok("{}")])
        let client = try script.client()
        let roster = client.roster(script.session(client))
        script.advance(by: 3_539)
        _ = try await roster.organization()
        script.advance(by: 1)
        _ = try await roster.organization()
        #expect(script.requests.map(\.accessToken) == ["a0", nil, "a1"])
    }

    @Test("a 401 refreshes once and asks again, without a wait")
    func unauthorized() async throws {
        let script = Script([.status(401), .token("a1"), .ok(#"{"id":"o"}"#)])
        let client = try script.client()
        let organization = try await client.roster(script.session(client)).organization()
        #expect(organization.id == "o")
        #expect(script.requests.map(\.accessToken) == ["a0", nil, "a1"])
        #expect(script.sleeps.isEmpty)
    }

    @Test("a second 401 is thrown")
    func unauthorizedTwice() async throws {
        let script = Script([.status(401), .token("a1"), .status(401)])
        let client = try script.client()
        await #expect(throws: LanyardClientError.roster(status: 401, error: nil, message: nil, requestID: nil)) {
            try await client.roster(script.session(client)).organization()
        }
        #expect(script.isFinished)
    }

    @Test("a refresh that is refused says that the consent is gone")
    func consentGone() async throws {
        let script = Script([.status(401), .answer(400, #"{"error":"invalid_grant"}"#, [:])])
        let client = try script.client()
        await #expect(throws: LanyardClientError.oauth(.invalidGrant, requestID: nil)) {
            try await client.roster(script.session(client)).organization()
        }
        #expect(script.isFinished)
    }

    @Test("a refresh that fails for now is tried again by the read")
    func refreshFails() async throws {
        let script = Script([.status(503), .token("a1"), .ok("{}")])
        let client = try script.client()
        _ = try await client.roster(RosterSession(client: client, refreshToken: "r0")).organization()
        #expect(script.sleeps == [.milliseconds(500)])
        #expect(script.isFinished)
    }

    @Test("many callers at once cause one refresh")
    func singleRefresh() async throws {
        let script = Script([.token("a1"), .token("a2"), .token("a3")])
        let client = try script.client()
        let session = RosterSession(client: client, refreshToken: "r0")
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask { try await session.accessToken().value }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["a1"])
        #expect(script.requests.count == 1)
    }
}
