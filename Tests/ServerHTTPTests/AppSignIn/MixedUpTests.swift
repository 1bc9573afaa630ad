import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// Codes and tokens at the endpoints of another profile, and in the hands of another client.
@Suite struct MixedUpTests {
    @Test("a code works at the endpoint of its own profile alone, and being tried elsewhere uses it up nowhere")
    func codes() async throws {
        try await TestServer.with { server in
            let secret = try await server.makeSecret()
            let nadia = server.maple.nadia
            let compatible = try await server.signInCode(as: nadia)
            let standard = try await server.standardCode(as: nadia)
            let roster = try await server.code(server.quizzler)
            func atStandard(_ code: String) async throws -> Answer {
                try await server.standardCall(
                    "token",
                    [
                        "grant_type": "authorization_code", "code": code, "client_id": "com.quizzler",
                        "client_secret": secret, "redirect_uri": server.quizzler.redirectURI,
                    ])
            }
            for code in [standard, roster] {
                #expect(try await server.redeemSignIn(code).error == "invalid_grant")
            }
            for code in [compatible, roster] { #expect(try await atStandard(code).error == "invalid_grant") }
            for code in [compatible, standard] {
                #expect(try await server.redeem(code, server.quizzler).error == "invalid_grant")
            }
            #expect(try await server.redeemSignIn(compatible).status == 200)
            #expect(try await atStandard(standard).status == 200)
            #expect(try await server.redeem(roster, server.quizzler).status == 200)
        }
    }

    @Test("a refresh token refreshes, and is revoked, in its own profile alone")
    func refreshTokens() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let compatible = try await server.tokens(as: server.maple.nadia)
            let standard = try await client.tokens(as: server.maple.nadia, scope: "openid offline_access")
            let roster = try await server.connect()
            for token in [standard.refresh, roster.refresh] {
                #expect(try await server.refreshSignIn(token).error == "invalid_grant")
                #expect(try await server.call("/auth/revoke", nil, ["token": token]).line == "200 ")
            }
            for token in [compatible.refresh, roster.refresh] {
                #expect(try await client.refresh(token).error == "invalid_grant")
                #expect(try await client.revoke(token).line == "200 ")
            }
            for token in [compatible.refresh, standard.refresh] {
                #expect(try await server.refresh(token, server.quizzler).error == "invalid_grant")
                #expect(try await server.revoke(token, server.quizzler).line == "200 ")
            }
            #expect(try await server.refreshSignIn(compatible.refresh).status == 200)
            #expect(try await client.refresh(standard.refresh).status == 200)
            #expect(try await server.refresh(roster.refresh, server.quizzler).status == 200)
        }
    }

    @Test("an access token opens what it is for: a person's no roster, a roster's and a compatible one no user info")
    func accessTokens() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let ada = server.maple.administrator
            let compatible = try await server.tokens(as: ada)
            let standard = try await client.tokens(as: ada)
            let roster = try await server.connect()
            for token in [compatible.access, standard.access] {
                #expect(try await server.roster("/users", bearer: token).status == 403)
            }
            for token in [compatible.access, roster.access, compatible.identity, standard.identity, "x"] {
                let answer = try await client.userInfo(token)
                #expect(answer.status == 401)
                #expect(answer["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
            }
            #expect(try await server.roster("/users", roster).status == 200)
            #expect(try await client.userInfo(standard.access).status == 200)
        }
    }

    @Test("what is one client's helps no other: not of another team, nor of the same app")
    func clients() async throws {
        try await TestServer.with { server in
            let own = try await StandardClient.secret(on: server)
            let tokens = try await own.tokens(as: server.maple.nadia, scope: "openid offline_access")
            let code = try await server.standardCode(as: server.maple.nadia)
            let groupedSecret = try await server.makeSecret(of: Scene.groupedClientID)
            let rivalSecret = try await server.makeSecret(of: "org.rival")
            for (id, secret) in [(Scene.groupedClientID, groupedSecret), ("org.rival", rivalSecret)] {
                let other = ["client_id": id, "client_secret": secret]
                func send(_ path: String, _ fields: [String: String]) async throws -> Answer {
                    try await server.standardCall(path, fields.merging(other) { $1 })
                }
                let redeemed = try await send(
                    "token",
                    [
                        "grant_type": "authorization_code", "code": code,
                        "redirect_uri": server.quizzler.redirectURI,
                    ])
                #expect(redeemed.error == "invalid_grant")
                let refreshed = try await send(
                    "token", ["grant_type": "refresh_token", "refresh_token": tokens.refresh])
                #expect(refreshed.error == "invalid_grant")
                #expect(try await send("revoke", ["token": tokens.refresh]).line == "200 ")
                // A secret belongs to one client id.
                let mixed = try await server.standardCall(
                    "token",
                    [
                        "grant_type": "refresh_token", "refresh_token": tokens.refresh, "client_id": "com.quizzler",
                        "client_secret": secret,
                    ])
                #expect(mixed.line.hasPrefix(#"401 {"error":"invalid_client""#))
            }
            #expect(try await own.refresh(tokens.refresh).status == 200)
        }
    }
}
