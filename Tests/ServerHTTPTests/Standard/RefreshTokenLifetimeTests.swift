import Authorization
import Directory
import Fixtures
import Foundation
import ServerHTTP
import Storage
import TestSupport
import Testing

@testable import TestServers

/// Refresh tokens that nobody uses do not live for ever.
@Suite struct RefreshTokenLifetimeTests {
    private let day: TimeInterval = 86_400

    @Test(
        "a refresh token ends when nobody has used it for a year; each use begins a new one",
        arguments: TestDatabase.available)
    func idle(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            let nadia = server.maple.nadia
            let used = try await server.tokens(as: nadia)
            let unused = try await server.tokens(as: nadia)
            var standard = try await client.tokens(as: nadia, scope: "openid offline_access").refresh
            let roster = try await server.connect()
            server.fixed.advance(by: 200 * day)
            #expect(try await server.refreshSignIn(used.refresh).status == 200)
            standard = try TestServer.tokens(try await client.refresh(standard)).refresh
            server.fixed.advance(by: 165 * day)
            let answer = try await server.refreshSignIn(unused.refresh)
            #expect(
                answer.json as? [String: String] == [
                    "error": "invalid_grant",
                    "error_description": "The refresh token has expired or has been revoked.",
                ])
            #expect(try await server.refreshSignIn(used.refresh).status == 200)
            standard = try TestServer.tokens(try await client.refresh(standard)).refresh
            server.fixed.advance(by: 365 * day)
            #expect(try await client.refresh(standard).error == "invalid_grant")
            // What an organization shares ends with its consent.
            #expect(try await server.refresh(roster.refresh, server.quizzler).status == 200)
        }
    }

    @Test("after the operator's time it ends, however often it is used")
    func absolute() async throws {
        try await TestServer.with(configure: { $0.refreshTokens.absolute = 30 * 86_400 }) { server in
            let client = try await StandardClient.public(on: server)
            let nadia = server.maple.nadia
            let compatible = try await server.tokens(as: nadia)
            var standard = try await client.tokens(as: nadia, scope: "openid offline_access").refresh
            server.fixed.advance(by: 30 * day - 1)
            #expect(try await server.refreshSignIn(compatible.refresh).status == 200)
            standard = try TestServer.tokens(try await client.refresh(standard)).refresh
            server.fixed.advance(by: 1)
            #expect(try await server.refreshSignIn(compatible.refresh).error == "invalid_grant")
            #expect(try await client.refresh(standard).error == "invalid_grant")
        }
    }

    @Test("a use is noted at most once a day", arguments: TestDatabase.available)
    func noted(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let tokens = try await server.tokens(as: server.maple.nadia)
            func usedAt() async throws -> Date? {
                try await server.database.read { try $0.first("SELECT used_at FROM access_grant") { try $0[0] } }
            }
            let start = server.fixed.now
            server.fixed.advance(by: day - 1)
            _ = try await server.refreshSignIn(tokens.refresh)
            #expect(try await usedAt() == start)
            server.fixed.advance(by: 1)
            _ = try await server.refreshSignIn(tokens.refresh)
            #expect(try await usedAt() == start.addingTimeInterval(day))
        }
    }

    @Test("what has ended goes a month later; the rest stays", arguments: TestDatabase.available)
    func tidied(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let nadia = server.maple.nadia
            _ = try await server.tokens(as: nadia)
            _ = try await server.connect()
            server.fixed.advance(by: 200 * day)
            _ = try await server.tokens(as: server.maple.ben)
            func tidy() async throws -> Int {
                let now = server.fixed.now
                try await server.database.write { try Grant.deleteOld(at: now, in: $0) }
                return try await server.count("access_grant")
            }
            server.fixed.advance(by: 195 * day - 1)
            #expect(try await tidy() == 3)
            server.fixed.advance(by: 1)
            #expect(try await tidy() == 2)
        }
    }
}
