import Crypto
import Foundation
import LanyardClient
import Testing

@Suite struct ClientSecretTests {
    @Test("the secret names team, app and key, and its raw signature verifies")
    func content() async throws {
        let script = Script([.token("a")])
        _ = try await script.client().refresh("r")

        let parts = try #require(script.secrets.first).split(separator: ".").map(String.init)
        let key = try P256.Signing.PrivateKey(pemRepresentation: TestKeys.clientPEM).publicKey
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
        #expect(decoded(parts[2]).count == 64)
        #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))

        let header = try JSONDecoder().decode([String: String].self, from: decoded(parts[0]))
        #expect(header == ["alg": "ES256", "kid": "K7Q2M9X4TB", "typ": "JWT"])
        struct Claims: Decodable, Equatable {
            var iss, aud, sub: String
            var iat, exp: Int
        }
        let claims = try JSONDecoder().decode(Claims.self, from: decoded(parts[1]))
        #expect(
            claims
                == Claims(
                    iss: "T4Z8N1C6PQ", aud: "https://appleid.apple.com", sub: "org.hillfield.planner",
                    iat: 1_767_225_600, exp: 1_767_225_900))
    }

    @Test("one secret is used until shortly before it expires")
    func cache() async throws {
        let script = Script([.token("a"), .token("b"), .token("c")])
        let client = try script.client()
        _ = try await client.refresh("r")
        script.advance(by: 239)
        _ = try await client.refresh("r")
        script.advance(by: 1)
        _ = try await client.refresh("r")

        #expect(script.secrets[0] == script.secrets[1])
        #expect(script.secrets[1] != script.secrets[2])
    }
}

extension Script {
    fileprivate var secrets: [String] { requests.compactMap { $0.parameters["client_secret"] } }
}

private func decoded(_ base64URL: String) -> Data {
    let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))!
}
