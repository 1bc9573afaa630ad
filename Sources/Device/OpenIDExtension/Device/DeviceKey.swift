import Crypto
import ExtensionVault
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// This device's private key for this user: P-256, made on the device, and never sent anywhere.
struct DeviceKey: Sendable {
    private static let fileName = "device-key"
    /// Seconds until a signed token expires.
    private static let lifetime: Int64 = 240

    let privateKey: P256.Signing.PrivateKey

    /// Reads the saved key, or makes one and saves it before returning.
    static func find(in vault: Vault) throws -> DeviceKey {
        if let saved = try read(vault) { return saved }
        // Find the vault's key before `exclusively`: `key()` takes the same lock and would wait for itself.
        _ = try vault.key()
        return try vault.exclusively {
            if let saved = try read(vault) { return saved }
            let key = P256.Signing.PrivateKey()
            try vault.write(key.rawRepresentation, to: fileName)
            return DeviceKey(privateKey: key)
        }
    }

    private static func read(_ vault: Vault) throws -> DeviceKey? {
        try vault.read(fileName).map { DeviceKey(privateKey: try P256.Signing.PrivateKey(rawRepresentation: $0)) }
    }

    static func remove(from vault: Vault) { vault.remove(fileName) }

    /// The public key as a JWK. RFC 7517.
    var publicJWK: [String: String] { Self.jwk(of: privateKey.publicKey) }

    var thumbprint: String { Self.thumbprint(of: publicJWK) }

    static func jwk(of key: P256.Signing.PublicKey) -> [String: String] {
        let point = key.rawRepresentation
        return [
            "kty": "EC", "crv": "P-256", "x": point.prefix(32).base64URLEncoded, "y": point.suffix(32).base64URLEncoded,
        ]
    }

    /// The JWK's SHA-256 thumbprint in base64url. RFC 7638.
    static func thumbprint(of jwk: [String: String]) -> String {
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(jwk["x"] ?? "")","y":"\#(jwk["y"] ?? "")"}"#
        return sha256(text).base64URLEncoded
    }

    /// The assertion that authenticates this device as a client at the token endpoint. RFC 7523 §3.
    func clientAssertion(client: String, audience: String, facts: DeviceFacts, surroundings: Surroundings) throws
        -> String
    {
        try token(
            type: "JWT", issuer: client, audience: audience, surroundings: surroundings,
            claims: ["sub": .string(client), "facts": .dictionary(facts.claims)])
    }

    /// The assertion that signs the device's user in to a Lanyard server.
    func deviceSession(device: String, audience: String, facts: DeviceFacts, surroundings: Surroundings) throws
        -> String
    {
        try token(
            type: "device-session+jwt", issuer: device, audience: audience, surroundings: surroundings,
            claims: ["facts": .dictionary(facts.claims)])
    }

    private func token(
        type: String, issuer: String, audience: String, surroundings: Surroundings, claims: JSONWebToken.Object
    ) throws -> String {
        let time = Int64(surroundings.now().timeIntervalSince1970)
        let common: JSONWebToken.Object = [
            "iss": .string(issuer), "aud": .string(audience), "iat": .integer(time),
            "exp": .integer(time + Self.lifetime), "jti": .string(Secret(from: surroundings).text),
        ]
        return try JSONWebToken.sign(
            common.merging(claims) { $1 }, header: ["typ": .string(type), "kid": .string(thumbprint)],
            with: privateKey)
    }

    /// A DPoP proof: shows that the sender of a request has the key to which a token is bound. RFC 9449 §4.2.
    /// - Parameter accessToken: the token that the request carries; nil at the token endpoint.
    func proof(
        method: String, url: URL, nonce: String? = nil, accessToken: String? = nil, surroundings: Surroundings
    ) throws -> String {
        var claims: JSONWebToken.Object = [
            "jti": .string(Secret(from: surroundings).text), "htm": .string(method),
            "htu": .string(String(url.absoluteString.prefix { $0 != "?" && $0 != "#" })),
            "iat": .integer(Int64(surroundings.now().timeIntervalSince1970)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        claims["ath"] = accessToken.map { .string(sha256($0).base64URLEncoded) }
        return try JSONWebToken.sign(
            claims,
            header: ["typ": .string("dpop+jwt"), "jwk": .dictionary(publicJWK.mapValues { .string($0) })],
            with: privateKey)
    }

    /// A certificate signing request (PKCS#10, RFC 2986) in PEM.
    /// - Parameter commonName: the subject's common name.
    func signingRequest(commonName: String) throws -> String {
        let sha256WithECDSA = DER.sequence([DER.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])])
        let name = DER.sequence([
            DER.value(
                0x31, DER.sequence([DER.identifier([0x55, 0x04, 0x03]), DER.value(0x0c, Data(commonName.utf8))]))
        ])
        let information = DER.sequence([
            DER.value(0x02, Data([0])), name, privateKey.publicKey.derRepresentation, DER.value(0xa0, Data()),
        ])
        let signature = try privateKey.signature(for: information).derRepresentation
        let request = DER.sequence([information, sha256WithECDSA, DER.value(0x03, Data([0]) + signature)])
        var text = request.base64EncodedString()[...]
        var lines = ["-----BEGIN CERTIFICATE REQUEST-----"]
        while !text.isEmpty {
            lines.append(String(text.prefix(64)))
            text = text.dropFirst(64)
        }
        return (lines + ["-----END CERTIFICATE REQUEST-----", ""]).joined(separator: "\n")
    }
}

/// The part of DER (X.690) that a certificate signing request needs.
private enum DER {
    static func value(_ tag: UInt8, _ content: Data) -> Data {
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count >= 128 {
            length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return Data([tag]) + length + content
    }

    static func sequence(_ parts: [Data]) -> Data { value(0x30, parts.reduce(Data(), +)) }

    static func identifier(_ bytes: [UInt8]) -> Data { value(0x06, Data(bytes)) }
}
