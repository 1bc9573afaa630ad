@testable import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RosterAuthorizerTests {
    private func isInvalid(_ server: AuthorizationServer, _ token: String) async -> Bool {
        if case .invalidToken = await rosterRefusal({ try await server.access(with: token) }) { true } else { false }
    }

    @Test(
        "a token opens its own organization's roster, with the scopes of its grant", arguments: TestDatabase.available)
    func opens(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let access = try await server.access(
                with: try await server.exchange(["scope": "edu.classes.read"]).accessToken)
            #expect(access.clientID == "com.example.quizzler")
            #expect(access.app.id == server.registered.app.id)
            #expect(access.organization == server.school.organization)
            #expect(access.scopes == ScopeSet([.classesRead]))
            #expect(access.scopes.readsClasses && !access.scopes.readsUsers)
        }
    }

    @Test("a token is good for an hour to the second", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = try await server.exchange().accessToken
            server.fixed.advance(by: 3_599)
            _ = try await server.access(with: token)
            server.fixed.advance(by: 1)
            let refused = await rosterRefusal { try await server.access(with: token) }
            #expect(refused == .invalidToken("expired"))
        }
    }

    @Test("a token of which any character was changed is refused", arguments: TestDatabase.available)
    func tampered(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let token = Array(try await server.exchange().accessToken.utf8)
            for index in token.indices {
                for character in "0123456789abcdefghijklmnopqrstuvwxyzABCXYZ.-_=+/ ".utf8
                where character != token[index] {
                    var changed = token
                    changed[index] = character
                    // The hexadecimal digits may be capitals: the same bytes.
                    if String(decoding: changed, as: UTF8.self).lowercased()
                        == String(decoding: token, as: UTF8.self).lowercased(), (1..<33).contains(index)
                    {
                        continue
                    }
                    let isInvalid = await isInvalid(server, String(decoding: changed, as: UTF8.self))
                    #expect(isInvalid, "\(index)")
                }
            }
        }
    }

    @Test("what is no access token is refused", arguments: TestDatabase.available)
    func garbage(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            let refresh = try #require(answer.refreshToken)
            let wrong = [
                "", "a", "Bearer", answer.identityToken, refresh, "a" + refresh.dropFirst(), answer.accessToken + "A",
                String(answer.accessToken.dropLast()),
                "r" + answer.accessToken.dropFirst(), answer.accessToken + "\0", String(repeating: "a", count: 62),
                String(repeating: "é", count: 31),
            ]
            for token in wrong {
                let isInvalid = await isInvalid(server, token)
                #expect(isInvalid, "\(token)")
            }
        }
    }

    @Test(
        "a token that another server sealed is refused, though its numbers are the same",
        arguments: TestDatabase.available)
    func foreignSeal(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            let token = AccessToken(grantID: GrantID(rawValue: 1), expiresAt: server.fixed.now + 60)
            let own = AccessTokenSealer(server.keys.accessTokens).seal(token, salt: [7, 8, 9])
            _ = try await server.access(with: own)
            let foreign = try await kind.with { other in
                let keys = try await ServerKeys.load(
                    from: other, under: server.masterKey, surroundings: FixedSurroundings(seed: 99).surroundings)
                return AccessTokenSealer(keys.accessTokens).seal(token, salt: [7, 8, 9])
            }
            let isInvalid = await isInvalid(server, foreign)
            #expect(isInvalid)
        }
    }

    @Test("a token of a grant that never was is refused", arguments: TestDatabase.available)
    func unknownGrant(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for id in [0, 1, 999, -1, Int64.max, .min] {
                let token = AccessTokenSealer(server.keys.accessTokens).seal(
                    AccessToken(grantID: GrantID(rawValue: id), expiresAt: server.fixed.now + 60), salt: [7, 8, 9])
                let isInvalid = await isInvalid(server, token)
                #expect(isInvalid)
            }
        }
    }

    @Test("tokens have the shape that clients know", arguments: TestDatabase.available)
    func shape(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            #expect(answer.accessToken.wholeMatch(of: #/a[0-9a-f]{32}\.0\.[a-z0-9]{4}\.[A-Za-z0-9_-]{22}/#) != nil)
            #expect(answer.refreshToken?.wholeMatch(of: #/r[0-9a-f]{32}\.0\.[a-z]{4}\.[A-Za-z0-9_-]{22}/#) != nil)
        }
    }
}
