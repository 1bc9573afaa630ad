import Authorization
import Crypto
import CryptoExtras
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ClientSecretSignatureTests {
    /// Secrets that are wrong in their form or signature, by what is wrong.
    private func wrongSecrets(_ registered: RegisteredApp) throws -> [(String, String)] {
        let now = FixedSurroundings.start
        let (good, claims, kid) = (
            try registered.clientSecret(at: now), registered.claims(at: now), registered.key.keyID
        )
        let parts = good.split(separator: ".").map(String.init)
        let json = try JSONSerialization.data(withJSONObject: claims)
        let signature = { (data: Data) in try registered.privateKey.signature(for: data).rawRepresentation }
        func sign(_ header: String) throws -> String {
            try JWT.sign(header: Data(header.utf8), claims: json, with: signature)
        }
        func sign(alg: String, with signature: (Data) throws -> Data) throws -> String {
            try JWT.sign(header: ["alg": alg, "kid": kid], claims: claims, with: signature)
        }
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let pem = SymmetricKey(data: Data(registered.key.publicKeyPEM.utf8))
        let nested = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        return [
            ("nothing", "."), ("no dots", "secret"), ("two dots", ".."), ("two parts", "\(parts[0]).\(parts[1])"),
            ("four parts", good + ".x"),
            ("no signature", "\(parts[0]).\(parts[1])."), ("truncated", String(good.dropLast())),
            ("half", String(good.prefix(good.count / 2))),
            ("a space", " " + good), ("padded", good + "=="), ("a NUL", good + "\0"),
            ("alg none", try sign(alg: "none") { _ in Data() }),
            ("alg None, signed", try sign(alg: "None", with: signature)),
            ("alg es256", try sign(alg: "es256", with: signature)),
            ("alg ES384", try sign(alg: "ES384", with: signature)),
            (
                "HS256 with the public key",
                try sign(alg: "HS256") { Data(HMAC<SHA256>.authenticationCode(for: $0, using: pem)) }
            ),
            (
                "RS256",
                try sign(alg: "RS256") { try rsa.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation }
            ),
            ("DER", try sign(alg: "ES256") { try registered.privateKey.signature(for: $0).derRepresentation }),
            (
                "another key",
                try sign(alg: "ES256") { try P256.Signing.PrivateKey().signature(for: $0).rawRepresentation }
            ),
            ("all zeros", try sign(alg: "ES256") { _ in Data(count: 64) }),
            ("too long", try sign(alg: "ES256") { try signature($0) + [0] }),
            ("no kid", try sign(#"{"alg":"ES256"}"#)), ("kid null", try sign(#"{"alg":"ES256","kid":null}"#)),
            ("unknown kid", try sign(#"{"alg":"ES256","kid":"AAAAAAAAAA"}"#)),
            ("kid in lower case", try sign(#"{"alg":"ES256","kid":"\#(kid.lowercased())"}"#)),
            // A number that no integer holds: JWT libraries have crashed on it.
            ("kid a number", try sign(#"{"alg":"ES256","kid":1e300}"#)),
            ("alg a number", try sign(#"{"alg":1e300,"kid":"\#(kid)"}"#)),
            ("no alg", try sign(#"{"kid":"\#(kid)"}"#)), ("header no object", try sign("[]")),
            ("header empty", try sign("")), ("header no JSON", try sign("{")),
            ("crit", try sign(#"{"alg":"ES256","kid":"\#(kid)","crit":["exp"]}"#)),
            ("crit empty", try sign(#"{"alg":"ES256","kid":"\#(kid)","crit":[]}"#)),
            ("crit a string", try sign(#"{"alg":"ES256","kid":"\#(kid)","crit":"exp"}"#)),
            ("crit mixed", try sign(#"{"alg":"ES256","kid":"\#(kid)","crit":[1]}"#)),
            ("deep nesting", try sign(#"{"alg":\#(nested),"kid":"\#(kid)"}"#)),
            (
                "claims no object",
                try JWT.sign(
                    header: Data(#"{"alg":"ES256","kid":"\#(kid)"}"#.utf8), claims: Data("7".utf8), with: signature)
            ),
            (
                "claims no UTF-8",
                try JWT.sign(
                    header: Data(#"{"alg":"ES256","kid":"\#(kid)"}"#.utf8), claims: Data([0xff, 0xfe]), with: signature)
            ),
            ("huge", try registered.clientSecret(at: now, claims: ["x": String(repeating: "x", count: 4_096)])),
            (
                "claims of another secret",
                "\(parts[0]).\(try registered.clientSecret(at: now + 1).split(separator: ".")[1]).\(parts[2])"
            ),
        ]
    }

    @Test("what is not signed ES256 with the team's key is invalid_client", arguments: TestDatabase.available)
    func refused(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for (what, secret) in try wrongSecrets(server.registered) {
                let code = await refusal {
                    _ = try await server.authenticate(
                        clientID: "com.example.quizzler", clientSecret: secret)
                }
                #expect(code == .invalidClient, "\(what)")
            }
            let good = try server.registered.clientSecret(at: server.fixed.now)
            let code = await refusal {
                _ = try await server.authenticate(clientID: "com.example.quizzler", clientSecret: good)
            }
            #expect(code == nil)
        }
    }
}
