import Authorization
import Crypto
import CryptoExtras
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import Testing
import TestSupport

@Suite struct IdentityTokenTests {
    private struct NoKey: Error {}

    /// The claims of a JWS whose signature holds, checked without the library that made it.
    private func verified(_ token: String, by keys: SigningKeys) async throws -> [String: Any] {
        let key = try await keys.current(.rs256)
        guard case .rsa(let modulus, let exponent) = key.publicHalf else { throw NoKey() }
        let parts = token.split(separator: ".").map(String.init)
        let publicKey = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try #require(Data(base64URLEncoded: parts[2])))
        #expect(
            publicKey.isValidSignature(
                signature, for: Data("\(parts[0]).\(parts[1])".utf8), padding: .insecurePKCS1v1_5))
        let header =
            try JSONSerialization.jsonObject(with: try #require(Data(base64URLEncoded: parts[0]))) as? [String: Any]
        #expect(header?["alg"] as? String == "RS256")
        #expect(header?["kid"] as? String == key.keyID)
        let claims = try JSONSerialization.jsonObject(with: try #require(Data(base64URLEncoded: parts[1])))
        return try #require(claims as? [String: Any])
    }

    @Test("the identity token says who consented, for which organization", arguments: TestDatabase.available)
    func claims(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let code = try await server.code(["nonce": "n-0S6"])
            server.fixed.advance(by: 60)
            let answer = try await server.redeem(code)
            let claims = try await verified(answer.identityToken, by: server.keys.signing)
            let identifiers = try await server.teamIdentifiers.of(server.registered.team.id)
            let now = Int(server.fixed.now.timeIntervalSince1970)
            #expect(claims["iss"] as? String == AuthorizationServer.issuer)
            #expect(claims["aud"] as? String == "com.example.quizzler")
            #expect(
                claims["sub"] as? String
                    == identifiers.text(of: server.administrator.id, in: server.school.organization.id))
            #expect(claims["org_id"] as? String == server.school.organization.publicID)
            #expect(claims["iat"] as? Int == now)
            #expect(claims["exp"] as? Int == now + 3_600)
            #expect(claims["auth_time"] as? Int == now - 60)
            #expect(claims["nonce"] as? String == "n-0S6")
            #expect(claims["nonce_supported"] as? Bool == true)
            let half = Data(SHA256.hash(data: Data(answer.accessToken.utf8)).prefix(16))
            #expect(claims["at_hash"] as? String == half.base64URLEncoded)
            #expect(claims.count == 10)
        }
    }

    @Test("without a nonce there is none, and a refresh has none either", arguments: TestDatabase.available)
    func noNonce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let without = try await verified(try await server.exchange().identityToken, by: server.keys.signing)
            #expect(without["nonce"] == nil)
            let first = try await server.exchange(["nonce": "n-0S6"])
            let refreshed = try await server.tokens.refresh(
                try #require(first.refreshToken), .roster, client: try await server.client, origin: .system)
            let again = try await verified(refreshed.identityToken, by: server.keys.signing)
            #expect(again["nonce"] == nil)
            #expect(again["sub"] as? String == without["sub"] as? String)
        }
    }
}
