import Crypto
import ExtensionVault
import Foundation
import Ground
@testable import OpenIDExtension
import SingleSignOnExtension
import SingleSignOnWire
import Testing

@Suite struct DeviceKeyTests {
    private static let surroundings = Surroundings(
        now: { Date(timeIntervalSince1970: 1_700_000_000) }, randomBytes: Surroundings.system.randomBytes)

    /// Verifies a token by its key and returns header and claims.
    private func open(_ token: String, with key: DeviceKey) throws -> (JSONWebToken.Object, JSONWebToken.Object) {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: #require(Data(base64URLEncoded: parts[2])))
        #expect(key.privateKey.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        func object(_ part: Substring) throws -> JSONWebToken.Object {
            try JSONDecoder().decode(JSONWebToken.Object.self, from: #require(Data(base64URLEncoded: part)))
        }
        return (try object(parts[0]), try object(parts[1]))
    }

    @Test func `a client assertion says who, for whom and until when`() throws {
        let key = DeviceKey(privateKey: P256.Signing.PrivateKey())
        let facts = DeviceFacts(system: "debian", systemVersion: "12", hasEncryptedDisk: true, hasScreenLock: nil)
        let token = try key.clientAssertion(
            client: "burgers", audience: "https://id.test/token", facts: facts, surroundings: Self.surroundings)
        let (header, claims) = try open(token, with: key)
        #expect(header == ["alg": .string("ES256"), "typ": .string("JWT"), "kid": .string(key.thumbprint)])
        #expect(claims["iss"] == .string("burgers"))
        #expect(claims["sub"] == .string("burgers"))
        #expect(claims["aud"] == .string("https://id.test/token"))
        #expect(claims["iat"] == .integer(1_700_000_000))
        let expiry = try #require(claims["exp"]?.number)
        #expect((1_700_000_001...1_700_000_300).contains(expiry))
        // The facts that the device adds, which the provider may judge.
        #expect(
            claims["facts"]
                == .dictionary(["os": .string("debian"), "osVersion": .string("12"), "diskEncryption": .boolean(true)]))
        let again = try key.clientAssertion(
            client: "burgers", audience: "a", facts: facts, surroundings: Self.surroundings)
        #expect(try open(again, with: key).1["jti"] != claims["jti"])
    }

    @Test func `a proof of possession names the request`() throws {
        let key = DeviceKey(privateKey: P256.Signing.PrivateKey())
        let url = try #require(URL(string: "https://id.test/token?a=1#b"))
        let (header, claims) = try open(
            key.proof(method: "POST", url: url, nonce: "n", accessToken: "token", surroundings: Self.surroundings),
            with: key)
        #expect(header["typ"] == .string("dpop+jwt"))
        #expect(header["jwk"] == .dictionary(key.publicJWK.mapValues { .string($0) }))
        #expect(claims["htm"] == .string("POST"))
        #expect(claims["htu"] == .string("https://id.test/token"))
        #expect(claims["nonce"] == .string("n"))
        #expect(claims["ath"] == .string(Data(SHA256.hash(data: Data("token".utf8))).base64URLEncoded))
    }

    @Test func `the thumbprint is RFC 7638's`() throws {
        // RFC 9449 §6.1 gives this key and its thumbprint.
        let key = try P256.Signing.PublicKey(
            rawRepresentation: #require(Data(base64URLEncoded: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"))
                + #require(Data(base64URLEncoded: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")))
        #expect(DeviceKey.thumbprint(of: DeviceKey.jwk(of: key)) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test func `the key is made once and stays`() throws {
        let folder = ExtensionFolder.temporary()
        defer { folder.remove() }
        let first = try DeviceKey.find(in: Vault(folder, log: { _ in }, findKey: fileKey))
        let second = try DeviceKey.find(in: Vault(folder, log: { _ in }, findKey: fileKey))
        #expect(first.thumbprint == second.thumbprint)
    }

    @Test func `OpenSSL accepts the signing request`() throws {
        let key = DeviceKey(privateKey: P256.Signing.PrivateKey())
        for name in ["Ana's laptop", String(repeating: "ü", count: 60)] {
            let folder = ExtensionFolder.temporary()
            defer { folder.remove() }
            let request = try key.signingRequest(commonName: name)
            try folder.write(Data(request.utf8), to: "request")
            let output = try run(
                "openssl", "req", "-in", "\(folder.path)/request", "-verify", "-noout", "-text", "-nameopt", "utf8")
            #expect(output.contains("Subject: CN=\(name)"))
            #expect(output.contains("ecdsa-with-SHA256"))
            #expect(output.contains("prime256v1"))
            #expect(output.lowercased().contains("verify ok"))
        }
    }

    @Test(arguments: [
        ("https://id.test/device-registration", "https://id.test"), ("https://id.test/", "https://id.test"),
        ("https://id.test/a/device-registration/b/device-registration", "https://id.test/a/device-registration/b"),
        ("https://id.test/device-registrations/x", "https://id.test/device-registrations/x"),
    ])
    func `a server's address is that of its registration without the end`(address: String, server: String) throws {
        #expect(DeviceRegistration.server(of: try #require(URL(string: address))) == server)
    }
}
