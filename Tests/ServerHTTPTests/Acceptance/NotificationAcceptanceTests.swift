import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// What an app is told when an organization ends its consent. docs/specifications/roster-api.md, 8.
@Suite struct NotificationAcceptanceTests {
    @Test(
        "revoking consent posts one signed consent-revoked", .timeLimit(.minutes(1)),
        arguments: TestDatabase.available)
    func consentRevoked(_ kind: TestDatabase) async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(on: kind, notificationURL: receiver.url) { server in
                let tokens = try await server.connect()
                let ada = try #require(
                    try await server.roster("/users", tokens).list("users").first {
                        $0["givenName"] as? String == "Ada"
                    })
                server.fixed.advance(by: 60)
                try await server.revokeConsent(
                    server.quizzler, by: server.maple.administrator, in: server.maple.organization.id)

                let delivery = try #require(try await receiver.wait(for: 1).first)
                #expect(delivery.contentType == "application/json")
                let payload = try #require(delivery.payload)
                let keys = try await server.browser().get("/auth/oauth2/v2/keys")
                let token = try await SignedToken.verify(payload, with: keys)
                let time = Int(server.fixed.now.timeIntervalSince1970)
                let jti = try #require(token.claims["jti"] as? String)
                #expect(UUID(uuidString: jti) != nil)
                #expect(
                    canonical(token.claims)
                        == canonical([
                            "iss": "\(TestServer.baseURL)/auth/oauth2/v2", "aud": "com.quizzler", "iat": time,
                            "jti": jti,
                            "events": [
                                [
                                    "type": "consent-revoked", "sub": ada["id"] ?? "",
                                    "org_id": server.maple.organization.publicID,
                                    "scopes": "edu.classes.read edu.users.read", "event_time": time,
                                ]
                            ],
                        ]))

                // One is enough: an answer of 2xx ends it, and nothing is left to be sent.
                while try await server.count("notification") > 0 { await Task.yield() }
                #expect(receiver.received.count == 1)
            }
        }
    }
}
