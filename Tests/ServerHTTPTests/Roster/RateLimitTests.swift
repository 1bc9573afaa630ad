import Fixtures
import ServerHTTP
import Testing

@testable import TestServers

/// Requests of one app on one organization's roster: docs/specifications/roster-api.md, 4. Time is the test's own.
@Suite struct RateLimitTests {
    @Test("a burst passes, then one request for each twentieth of a second")
    func bucket() async throws {
        try await TestServer.with(configure: { $0.rateLimit.burst = 5 }) { server in
            let tokens = try await server.connect()
            for _ in 0..<5 { #expect(try await server.roster("/organization", tokens).status == 200) }
            let refused = try await server.roster("/organization", tokens)
            #expect(refused.status == 429)
            #expect(refused.error == "too_many_requests")
            #expect(refused["X-Retry-After"] == "1" && refused["Retry-After"] == "1")

            server.fixed.advance(by: 0.0625)
            #expect(try await server.roster("/organization", tokens).status == 200)
            #expect(try await server.roster("/organization", tokens).status == 429)
            // An hour fills it to the burst, not beyond.
            server.fixed.advance(by: 1_800)
            for _ in 0..<5 { #expect(try await server.roster("/organization", tokens).status == 200) }
            #expect(try await server.roster("/organization", tokens).status == 429)
        }
    }

    @Test("the wait is named in whole seconds, as long as it takes")
    func wait() async throws {
        try await TestServer.with(
            configure: {
                $0.rateLimit.burst = 1
                $0.rateLimit.requestsPerSecond = 0.1
            }
        ) { server in
            let tokens = try await server.connect()
            #expect(try await server.roster("/organization", tokens).status == 200)
            #expect(try await server.roster("/organization", tokens)["X-Retry-After"] == "10")
            server.fixed.advance(by: 7.5)
            #expect(try await server.roster("/organization", tokens)["X-Retry-After"] == "3")
            server.fixed.advance(by: 2.5)
            #expect(try await server.roster("/organization", tokens).status == 200)
        }
    }

    @Test("calls that the scopes do not allow count too")
    func refused() async throws {
        try await TestServer.with(configure: { $0.rateLimit.burst = 2 }) { server in
            let tokens = try await server.connect(scope: "edu.users.read")
            for status in [403, 403, 429] { #expect(try await server.roster("/classes", tokens).status == status) }
        }
    }

    @Test("one app's burst is not another's, nor another organization's")
    func separate() async throws {
        try await TestServer.with(configure: { $0.rateLimit.burst = 1 }) { server in
            let maple = try await server.connect()
            let again = try await server.connect()
            let birch = try await server.connect(as: server.scene.birch.administrator)
            let rival = try await server.connect(server.rival)
            #expect(try await server.roster("/organization", maple).status == 200)
            #expect(try await server.roster("/organization", again).status == 429)
            #expect(try await server.roster("/organization", birch).status == 200)
            #expect(try await server.roster("/organization", rival).status == 200)
        }
    }

    @Test("the default lets a client crawl 100 pages at once")
    func crawl() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for _ in 0..<100 { #expect(try await server.roster("/organization", tokens).status == 200) }
            #expect(try await server.roster("/organization", tokens).status == 429)
        }
    }
}
