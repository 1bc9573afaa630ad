import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// An exchange of a refresh token whose answer did not arrive is made again with the same `Idempotency-Key`.
/// docs/decisions/0018-lost-answers.md.
@Suite struct LostAnswerTests {
    private let key = #""8e03978e-40d5-43dd-bc93-6ad92c6bcd07""#
    private let otherKey = #""8e03978e-40d5-43dd-bc93-6ad92c6bcd08""#

    private func begin(_ client: StandardClient) async throws -> String {
        try await client.tokens(as: client.server.maple.nadia, scope: "openid offline_access").refresh
    }

    @Test("an exchange is made again with its key, until its token is shown", arguments: TestDatabase.available)
    func again(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for make in [StandardClient.secret, StandardClient.public] {
                let client = try await make(server)
                func exchange(_ token: String, _ key: String?) async throws -> String {
                    try TestServer.tokens(try await client.refresh(token, idempotencyKey: key)).refresh
                }
                let first = try await begin(client)
                let lost = try await exchange(first, key)
                server.fixed.advance(by: 86_400)
                let lostToo = try await exchange(first, key)
                let third = try await exchange(first, key)
                #expect(Set([first, lost, lostToo, third]).count == 4)
                let fourth = try await exchange(third, key)
                // The answer has arrived. Using the first token again now ends the whole sign-in.
                #expect(try await client.refresh(first, idempotencyKey: key).error == "invalid_grant")
                #expect(try await client.refresh(fourth, idempotencyKey: key).error == "invalid_grant")
            }
        }
    }

    @Test("without the key, or with another, a spent token ends everything", arguments: TestDatabase.available)
    func thief(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            for (sent, shown) in [(key, nil), (key, otherKey), (nil, key), (nil, nil)] {
                let first = try await begin(client)
                let tokens = try TestServer.tokens(try await client.refresh(first, idempotencyKey: sent))
                #expect(try await client.refresh(first, idempotencyKey: shown).error == "invalid_grant")
                #expect(try await client.refresh(tokens.refresh, idempotencyKey: sent).error == "invalid_grant")
                #expect(try await client.userInfo(tokens.access).status == 401)
            }
            // A key belongs to one exchange, and does not count for a later one.
            let first = try await begin(client)
            let second = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            _ = try await client.refresh(second)
            #expect(try await client.refresh(second, idempotencyKey: key).error == "invalid_grant")
        }
    }

    @Test("a token that was said to be lost and turns up ends everything", arguments: TestDatabase.available)
    func found(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let first = try await begin(client)
            let found = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            let current = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            #expect(try await client.refresh(found, idempotencyKey: key).error == "invalid_grant")
            #expect(try await client.refresh(current).error == "invalid_grant")
            #expect(try await server.audit(of: server.maple.organization.id).contains("refresh-token.replayed refused"))
        }
    }

    @Test("another client has no use for key and token, and a revoked grant gives nothing again")
    func others() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            let first = try await begin(client)
            let second = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            let grouped = server.grouped()
            let other = StandardClient(
                server: server, app: grouped, secret: try await server.makeSecret(of: grouped.clientID))
            #expect(try await other.refresh(first, idempotencyKey: key).error == "invalid_grant")
            // This was no theft: the token's own client still gets its answer.
            let third = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            #expect(third != second)
            #expect(try await client.revoke(third).status == 200)
            #expect(try await client.refresh(first, idempotencyKey: key).error == "invalid_grant")
        }
    }

    @Test("twenty exchanges with one key at once leave one token that is good", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            let first = try await begin(client)
            if kind == .postgres { try await spendMany(server) }
            let before = try await server.count("spent_refresh_token")
            let answers = await concurrently(0..<20) { _ in
                try? await client.refresh(first, idempotencyKey: key)
            }
            #expect(answers.compactMap { $0?.status } == Array(repeating: 200, count: 20))
            #expect(try await server.count("spent_refresh_token") == before + 20)
            let last = try TestServer.tokens(try await client.refresh(first, idempotencyKey: key)).refresh
            #expect(try await client.refresh(last).status == 200)
        }
    }

    /// As on a server that has run for a while. Looking a few rows over, PostgreSQL locks the whole table.
    private func spendMany(_ server: TestServer) async throws {
        try await server.database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO spent_refresh_token (token_hash, grant_id, spent_at)
                SELECT sha256(convert_to(number::text, 'UTF8')), (SELECT MIN(id) FROM access_grant), 0
                FROM generate_series(1, 50000) AS number
                """)
            try transaction.execute("ANALYZE spent_refresh_token")
        }
    }

    @Test("a key that somebody could guess is refused, and nothing is used up")
    func malformed() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            let first = try await begin(client)
            for key in [#""1""#, "0123456789abcde", String(repeating: "a", count: 256)] {
                let answer = try await client.refresh(first, idempotencyKey: key)
                #expect(answer.error == "invalid_request")
                #expect(answer.body.contains("Idempotency-Key has to be of 16 to 255 characters"))
            }
            // More than was granted uses nothing up either, and is no way round.
            _ = try await client.refresh(first, idempotencyKey: key)
            let greedy = try await client.refresh(first, ["scope": "openid profile"], idempotencyKey: key)
            #expect(greedy.error == "invalid_scope")
            #expect(try await client.refresh(first, idempotencyKey: key).status == 200)
        }
    }
}
