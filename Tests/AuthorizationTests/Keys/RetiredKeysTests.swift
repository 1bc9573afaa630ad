import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

/// A key that somebody else may have goes out of service.
@Suite struct RetiredKeysTests {
    private struct Claims: Encodable {
        var iss = "https://id.maple.example/oidc"
        var aud = "com.example.quizzler"
        var sub = "1.A.B"
    }

    private func addKey(signingFrom start: Date?, to server: AuthorizationServer) async throws -> String {
        try await SigningKeys.add(
            .rs256, signingFrom: start, to: server.database, under: server.masterKey,
            surroundings: server.fixed.surroundings)!
    }

    private func retire(_ keyID: String, on server: AuthorizationServer) async throws -> String? {
        let now = server.fixed.now
        return try await server.database.write {
            try SigningKeys.retire(keyID, at: now, in: $0).successor
        }
    }

    /// As `signing-key.rotate` does it when somebody may have the keys.
    private func replaceAll(
        of algorithms: [SigningAlgorithm] = SigningAlgorithm.allCases, on server: AuthorizationServer
    ) async throws -> (made: [String], retired: [String]) {
        let new = try algorithms.map {
            try SigningKeys.NewKey($0, under: server.masterKey, surroundings: server.fixed.surroundings)
        }
        let now = server.fixed.now
        return try await server.database.write { transaction in
            let retired = try SigningKeys.retireAll(of: algorithms, at: now, in: transaction)
            for key in new { try key.insert(signingFrom: now, at: now, in: transaction) }
            return (new.map(\.keyID), retired)
        }
    }

    private func published(_ keys: ServerKeys) async throws -> [String] {
        try await keys.signing.published(.rs256).map(\.keyID)
    }

    @Test(
        "replacing all keys withdraws the one that signed and the one that was planned, in every server process within seconds",
        arguments: TestDatabase.available)
    func replaceAll(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let surroundings = server.fixed.surroundings
            let other = try await ServerKeys.load(from: database, under: server.masterKey, surroundings: surroundings)
            let planned = try await addKey(signingFrom: server.fixed.now + SigningKeys.notice, to: server)
            let stolen = try await server.keys.signing.current(.rs256)
            let forged = try stolen.sign(Claims())
            #expect(try await server.keys.signing.hint(forged) != nil)

            let change = try await replaceAll(of: [.rs256], on: server)
            #expect(change.retired == ["SIGNINGKEY", planned])
            server.fixed.advance(by: SigningKeys.patience + 1)
            for keys in [server.keys, other] {
                #expect(try await published(keys) == change.made)
                #expect(try await keys.signing.current(.rs256).keyID == change.made[0])
                #expect(try await keys.signing.hint(forged) == nil)
            }
            // The planned key stays retired, even after the time at which it would have begun to sign.
            server.fixed.advance(by: 2 * SigningKeys.notice)
            #expect(try await server.keys.signing.current(.rs256).keyID == change.made[0])
            // Without an algorithm, all of them.
            let former = try await server.keys.signing.published().map(\.keyID)
            #expect(former.count == SigningAlgorithm.allCases.count)
            let all = try await replaceAll(on: server)
            #expect(Set(all.retired) == Set(former))
            server.fixed.advance(by: SigningKeys.patience + 1)
            #expect(try await server.keys.signing.published().map(\.keyID) == all.made)
        }
    }

    @Test("a clock that is set back keeps no key that was retired", arguments: TestDatabase.available)
    func clockSetBack(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            server.fixed.advance(by: 86_400)
            let stolen = try await server.keys.signing.current(.rs256)
            server.fixed.advance(by: -86_400)
            let change = try await replaceAll(of: [.rs256], on: server)
            #expect(try await server.keys.signing.hint(stolen.sign(Claims())) == nil)
            #expect(try await server.keys.signing.current(.rs256).keyID == change.made[0])
        }
    }

    @Test(
        "a key whose time is over does not come back with the retirement of the one after it",
        arguments: TestDatabase.available, [false, true])
    func predecessors(_ kind: TestDatabase, signs: Bool) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            server.fixed.advance(by: 60)
            let second = try await addKey(signingFrom: nil, to: server)
            server.fixed.advance(by: SigningKeys.retention + 60)
            let third = try await addKey(signingFrom: server.fixed.now + SigningKeys.notice, to: server)
            #expect(try await published(server.keys) == [second, third])
            if !signs { server.fixed.advance(by: SigningKeys.notice + 60) }
            #expect(try await retire(second, on: server) == (signs ? third : nil))
            server.fixed.advance(by: SigningKeys.patience + 1)
            #expect(try await published(server.keys) == [third])
            let retired = try await database.read { try SigningKeys.list(in: $0) }
                .filter { $0.algorithm == .rs256 && $0.retiredAt != nil }.map(\.keyID)
            #expect(retired == ["SIGNINGKEY", second])
        }
    }

    @Test(
        "by a clock that was set back the key that signs is not retired without a successor either",
        arguments: TestDatabase.available)
    func clockBeforeAllKeys(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            server.fixed.advance(by: -86_400)
            #expect(try await server.keys.signing.current(.rs256).keyID == "SIGNINGKEY")
            await #expect(throws: SigningKeys.Problem.lastOne("SIGNINGKEY")) {
                try await retire("SIGNINGKEY", on: server)
            }
            #expect(try await server.keys.signing.current(.rs256).keyID == "SIGNINGKEY")
        }
    }

    @Test(
        "the key that signs is retired only if one follows it, which signs at once; a former one at any time",
        arguments: TestDatabase.available)
    func retire(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            await #expect(throws: SigningKeys.Problem.lastOne("SIGNINGKEY")) {
                try await retire("SIGNINGKEY", on: server)
            }
            await #expect(throws: SigningKeys.Problem.unknown("NOSUCHKEY")) {
                try await retire("NOSUCHKEY", on: server)
            }
            server.fixed.advance(by: 60)
            let second = try await addKey(signingFrom: nil, to: server)
            // The first key has stopped signing, and an earlier key cannot succeed the second one.
            await #expect(throws: SigningKeys.Problem.lastOne(second)) { try await retire(second, on: server) }
            let third = try await addKey(signingFrom: server.fixed.now + SigningKeys.notice, to: server)
            #expect(try await retire("SIGNINGKEY", on: server) == nil)
            await #expect(throws: SigningKeys.Problem.retiredBefore("SIGNINGKEY")) {
                try await retire("SIGNINGKEY", on: server)
            }
            server.fixed.advance(by: SigningKeys.patience + 1)
            #expect(try await published(server.keys) == [second, third])
            #expect(try await server.keys.signing.current(.rs256).keyID == second)

            #expect(try await retire(second, on: server) == third)
            server.fixed.advance(by: SigningKeys.patience + 1)
            #expect(try await published(server.keys) == [third])
            #expect(try await server.keys.signing.current(.rs256).keyID == third)
            let listed = try await database.read { try SigningKeys.list(in: $0) }.filter { $0.algorithm == .rs256 }
            #expect(listed.map(\.keyID) == ["SIGNINGKEY", second, third])
            #expect(listed.map { $0.retiredAt == nil } == [false, false, true])
        }
    }
}
