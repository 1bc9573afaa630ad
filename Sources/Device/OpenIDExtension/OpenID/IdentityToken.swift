import Crypto
import CryptoExtras
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A provider's public keys. RFC 7517.
struct KeySet: Sendable, Decodable {
    struct Key: Sendable, Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let crv: String?
        let n: String?
        let e: String?
        let x: String?
        let y: String?
    }

    private struct Entry: Decodable {
        let key: Key?

        init(from decoder: any Decoder) throws { key = try? Key(from: decoder) }
    }

    let keys: [Key]

    enum CodingKeys: CodingKey { case keys }

    /// Leaves out keys that cannot be decoded, such as those of unknown types.
    init(from decoder: any Decoder) throws {
        keys = try decoder.container(keyedBy: CodingKeys.self).decode([Entry].self, forKey: .keys).compactMap(\.key)
    }
}

/// An identity token that was verified as in OpenID Connect Core §3.1.3.7.
struct IdentityToken: Sendable {
    struct Expected: Sendable {
        let issuer: String
        let client: String
        /// nil if the request had no nonce, or the token comes from a refresh.
        let nonce: String?
        let now: Date
    }

    let subject: String
    let nonce: String?

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let aud: Audience
        let azp: String?
        let exp: Double
        let iat: Double?
        let nonce: String?
    }

    private struct Audience: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            values = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// The maximum size of a token in bytes. Some providers put long lists of groups into it.
    private static let bytesMax = 1 << 20
    /// The clock difference, in seconds, that is tolerated.
    private static let leeway = 60.0

    /// Verifies a token.
    /// - Throws: `AuthorizationFailure`; ``KeyMissing`` if no key fits the token's header.
    init(_ token: String, keys: KeySet, expected: Expected) throws {
        guard let token = try? CompactJWT(token, bytesMax: Self.bytesMax), let claims = token.claims(Claims.self) else {
            throw Self.refusal("it is no signed token")
        }
        let (algorithm, keyID) = (token.header.algorithm, token.header.keyID)
        guard !token.header.hasCritical else { throw Self.refusal("it asks for an extension that is not known here") }
        let candidates = keys.keys.filter { key in
            key.kty == Self.keyType(of: algorithm) && key.use ?? "sig" == "sig" && key.alg ?? algorithm == algorithm
                && (keyID == nil || key.kid == keyID)
        }
        guard !candidates.isEmpty else { throw KeyMissing() }
        guard
            candidates.contains(where: {
                Self.verifies(token.signature, of: token.signedBytes, by: $0, algorithm: algorithm)
            })
        else { throw Self.refusal("its signature is wrong") }
        guard claims.iss == expected.issuer else { throw Self.refusal("“\(claims.iss)” issued it") }
        guard claims.aud.values.contains(expected.client) else { throw Self.refusal("it is for another client") }
        guard claims.aud.values.count == 1 && claims.azp == nil || claims.azp == expected.client else {
            throw Self.refusal("it was given to another client")
        }
        let now = expected.now.timeIntervalSince1970
        guard claims.exp > now - Self.leeway else { throw Self.refusal("it has expired; is the clock right?") }
        guard claims.iat ?? now < now + Self.leeway * 5 else {
            throw Self.refusal("it comes from the future; is the clock right?")
        }
        guard expected.nonce == nil || claims.nonce == expected.nonce else { throw Self.refusal("its nonce is wrong") }
        subject = claims.sub
        nonce = claims.nonce
    }

    /// The subject of a token, without verifying it. Only for tokens that were verified before.
    static func subject(of token: String) -> String? {
        struct Subject: Decodable { let sub: String }
        return (try? CompactJWT(token, bytesMax: bytesMax))?.claims(Subject.self)?.sub
    }

    struct KeyMissing: Error, CustomStringConvertible {
        let description = "The provider publishes no key for its identity token."
    }

    private static func refusal(_ reason: String) -> AuthorizationFailure {
        AuthorizationFailure(.failed, "The provider's identity token is not accepted: \(reason).")
    }

    private static func keyType(of algorithm: String) -> String {
        switch algorithm {
        case "RS256", "RS384", "RS512", "PS256", "PS384", "PS512": "RSA"
        case "ES256", "ES384", "ES512": "EC"
        case "EdDSA": "OKP"
        // `none` and the HMAC algorithms are refused, because anyone, or anyone with the client secret, could sign.
        default: "?"
        }
    }

    private static func verifies(_ signature: Data, of data: Data, by key: KeySet.Key, algorithm: String) -> Bool {
        func part(_ text: String?) -> Data { text.flatMap { Data(base64URLEncoded: $0) } ?? Data() }
        let point = part(key.x) + part(key.y)
        switch (algorithm, key.crv) {
        case ("ES256", "P-256"):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: data)
        case ("ES384", "P-384"):
            guard let key = try? P384.Signing.PublicKey(rawRepresentation: point),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: data)
        case ("ES512", "P-521"):
            guard let key = try? P521.Signing.PublicKey(rawRepresentation: point),
                let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: data)
        case ("EdDSA", "Ed25519"):
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: part(key.x))
            return key?.isValidSignature(signature, for: data) ?? false
        case (let name, _) where name.hasPrefix("RS") || name.hasPrefix("PS"):
            guard let key = try? _RSA.Signing.PublicKey(n: part(key.n), e: part(key.e)), key.keySizeInBits >= 2048
            else { return false }
            let padding = name.hasPrefix("RS") ? _RSA.Signing.Padding.insecurePKCS1v1_5 : .PSS
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return switch name.suffix(3) {
            case "256": key.isValidSignature(signature, for: SHA256.hash(data: data), padding: padding)
            case "384": key.isValidSignature(signature, for: SHA384.hash(data: data), padding: padding)
            default: key.isValidSignature(signature, for: SHA512.hash(data: data), padding: padding)
            }
        default: return false
        }
    }
}
