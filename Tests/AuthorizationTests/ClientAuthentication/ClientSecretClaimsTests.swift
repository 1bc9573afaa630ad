import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ClientSecretClaimsTests {
    typealias Changes = [String: (any Sendable)?]
    private static let now = Int(FixedSurroundings.start.timeIntervalSince1970)

    private func outcome(
        _ server: AuthorizationServer, header: Changes = [:], claims: Changes = [:], clientID: String? = nil
    ) async -> OAuthError.Code? {
        await refusal {
            _ = try await server.authenticate(
                clientID: clientID ?? server.registered.clientID,
                clientSecret: try server.registered.clientSecret(at: server.fixed.now, header: header, claims: claims))
        }
    }

    @Test(
        "a good secret authenticates its client, with either audience and any harmless extra",
        arguments: TestDatabase.available)
    func accepted(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let good: [(header: Changes, claims: Changes)] = [
                ([:], [:]), ([:], ["aud": AuthorizationServer.issuer]), ([:], ["aud": ["https://appleid.apple.com"]]),
                (["typ": "JWT"], [:]), (["typ": 1e300, "x": ["y": [1, 2]] as [String: [Int]]], [:]),
                ([:], ["jti": "again", "nbf": Self.now + 120]), ([:], ["jti": 7]),
                ([:], ["exp": Self.now + 15_777_000]), ([:], ["exp": Self.now - 119]), ([:], ["iat": Self.now + 120]),
                ([:], ["iat": 0]), ([:], ["exp": Double(Self.now) + 60.5]),
            ]
            for (header, claims) in good {
                let refused = await outcome(server, header: header, claims: claims)
                #expect(refused == nil, "\(header) \(claims)")
            }
            let credentials = try await server.client
            let client = try await database.read { try server.authenticator.authenticate(credentials, in: $0) }
            #expect(client.clientID == "com.example.quizzler")
            #expect(client.app.id == server.registered.app.id)
        }
    }

    @Test("each wrong claim is invalid_client", arguments: TestDatabase.available)
    func wrongClaims(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let wrong: [Changes] = [
                ["exp": Self.now + 15_777_121], ["exp": Self.now - 120], ["exp": 0], ["exp": -1], ["exp": 1e300],
                ["exp": "never"], ["exp": nil],
                ["iat": Self.now + 121], ["iat": "now"], ["nbf": Self.now + 121], ["nbf": "soon"],
                ["sub": "com.example.quizzler\0"], ["iat": nil], ["exp": String(Self.now + 60)],
                ["aud": "https://appleid.apple.com/"], ["aud": "https://APPLEID.apple.com"], ["aud": ""], ["aud": nil],
                ["aud": 7],
                ["aud": [String]()], ["aud": ["https://appleid.apple.com", AuthorizationServer.issuer]],
                ["sub": "com.example.Quizzler"], ["sub": "com.example.other"], ["sub": ""], ["sub": nil], ["sub": 7],
                ["iss": "AAAAAAAAAA"], ["iss": server.registered.team.publicID.lowercased()], ["iss": nil],
            ]
            for claims in wrong {
                let refused = await outcome(server, claims: claims)
                #expect(refused == .invalidClient, "\(claims)")
            }
        }
    }

    @Test(
        "a missing client id is invalid_request, a missing secret or an unknown client invalid_client",
        arguments: TestDatabase.available)
    func missing(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let secret = try server.registered.clientSecret(at: server.fixed.now)
            let expected: [(String?, String?, OAuthError.Code)] = [
                (nil, secret, .invalidRequest), ("", secret, .invalidRequest),
                ("com.example.quizzler", nil, .invalidClient),
                ("com.example.quizzler", "", .invalidClient), ("com.example.nobody", secret, .invalidClient),
                ("com.example.QUIZZLER", secret, .invalidClient),
            ]
            for (clientID, secret, code) in expected {
                let refused = await refusal {
                    _ = try await server.authenticate(clientID: clientID, clientSecret: secret)
                }
                #expect(refused == code)
            }
        }
    }

    @Test("a secret of another team, or of one app for another, is refused", arguments: TestDatabase.available)
    func foreign(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let foreign = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.foreign"])
            let now = server.fixed.now
            let ours = try server.registered.clientSecret(at: now)
            let theirs = try foreign.clientSecret(at: now, claims: ["sub": "com.example.quizzler"])
            let disguised = try foreign.clientSecret(
                at: now, header: ["kid": server.registered.key.keyID],
                claims: ["sub": "com.example.quizzler", "iss": server.registered.team.publicID])
            for (clientID, secret) in [
                ("com.example.foreign", ours), ("com.example.quizzler", theirs), ("com.example.quizzler", disguised),
            ] {
                let refused = await refusal {
                    _ = try await server.authenticate(clientID: clientID, clientSecret: secret)
                }
                #expect(refused == .invalidClient)
            }
        }
    }

    @Test(
        "a secret that was good is refused once it has expired, its key is revoked or its app is removed",
        arguments: TestDatabase.available)
    func cached(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (key, app, start) = (server.registered.key, server.registered.app.id, server.fixed.now)
            let secret = try server.registered.clientSecret(at: start)
            func refused() async -> OAuthError.Code? {
                await refusal {
                    _ = try await server.authenticate(
                        clientID: "com.example.quizzler", clientSecret: secret)
                }
            }
            let (first, second) = (await refused(), await refused())
            #expect(first == nil)
            #expect(second == nil)

            try await database.write { try $0.execute("UPDATE app SET removed_at = 1 WHERE id = $1", [app]) }
            let removed = await refused()
            #expect(removed == .invalidClient)
            try await database.write { try $0.execute("UPDATE app SET removed_at = NULL WHERE id = $1", [app]) }

            server.fixed.advance(by: 86_400 + 120)
            let expired = await refused()
            #expect(expired == .invalidClient)
            server.fixed.advance(by: -86_400)

            let again = await refused()
            #expect(again == nil)
            let (isNew, isOld) = try await database.write {
                (try key.revoke(at: start, in: $0), try key.revoke(at: start, in: $0))
            }
            #expect(isNew == true)
            #expect(isOld == false)
            let revoked = await refused()
            #expect(revoked == .invalidClient)
        }
    }
}
