import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground

/// A key that signs, with its public half.
package struct SigningKey: Sendable {
    /// 10 characters; `kid`.
    package let keyID: String
    package let publicHalf: PublicHalf
    private let privateHalf: PrivateHalf
    /// The encoded header of every token without a `typ`.
    private let header: String

    package enum PublicHalf: Sendable {
        /// Both big-endian.
        case rsa(modulus: Data, exponent: Data)
        /// Coordinates on P-256, 32 bytes each.
        case p256(x: Data, y: Data)
    }

    /// OpenSSL is faster with RSA, swift-crypto with P-256 (docs/decisions/0020-es256.md).
    private enum PrivateHalf: Sendable {
        case rsa(RSASigner)
        case p256(P256.Signing.PrivateKey)

        /// The signature in the format of a JWS.
        func signature(for message: [UInt8]) throws -> [UInt8] {
            switch self {
            case .rsa(let signer): try signer.signature(for: message)
            case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
            }
        }
    }

    package var algorithm: SigningAlgorithm {
        switch publicHalf {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// - Returns: the private key, in DER.
    static func make(_ algorithm: SigningAlgorithm) throws -> [UInt8] {
        switch algorithm {
        case .rs256: Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation)
        case .es256: Array(P256.Signing.PrivateKey().derRepresentation)
        }
    }

    init(_ algorithm: SigningAlgorithm, keyID: String, derRepresentation: [UInt8]) throws {
        self.keyID = keyID
        switch algorithm {
        case .rs256:
            let primitives = try _RSA.Signing.PrivateKey(derRepresentation: derRepresentation).publicKey
                .getKeyPrimitives()
            privateHalf = .rsa(try RSASigner(derRepresentation: derRepresentation))
            publicHalf = .rsa(modulus: primitives.modulus, exponent: primitives.publicExponent)
        case .es256:
            let key = try P256.Signing.PrivateKey(derRepresentation: derRepresentation)
            let point = key.publicKey.rawRepresentation
            privateHalf = .p256(key)
            publicHalf = .p256(x: point.prefix(32), y: point.suffix(32))
        }
        header = Self.header(keyID, algorithm, type: nil)
    }

    /// The header has only the members that the service that we are compatible with sends. Key ids and types need no
    /// escaping.
    private static func header(_ keyID: String, _ algorithm: SigningAlgorithm, type: String?) -> String {
        let type = type.map { #","typ":"\#($0)""# } ?? ""
        return Array(#"{"kid":"\#(keyID)","alg":"\#(algorithm.rawValue)"\#(type)}"#.utf8).base64URLEncoded
    }

    /// Signs claims as a JWS in compact form (RFC 7515 §3.1). The signature is the most expensive step of an answer, so
    /// it is made once per answer, and never on an event loop.
    /// - Parameter type: `typ`, for tokens of one kind that must not be mistaken for another (RFC 8725 §3.11).
    package func sign(_ claims: some Encodable, type: String? = nil) throws -> String {
        try sign(json: Array(try JSONEncoder.stable.encode(claims)), type: type)
    }

    /// As ``sign(_:type:)``, with claims that are JSON already.
    package func sign(json claims: [UInt8], type: String? = nil) throws -> String {
        var token: [UInt8] = []
        token.reserveCapacity(512 + claims.count * 4 / 3)
        token.append(contentsOf: (type.map { Self.header(keyID, algorithm, type: $0) } ?? header).utf8)
        token.append(UInt8(ascii: "."))
        token.append(base64URL: claims)
        let signature = try privateHalf.signature(for: token)
        token.append(UInt8(ascii: "."))
        token.append(base64URL: signature)
        return String(decoding: token, as: UTF8.self)
    }

    /// Whether this key has signed a message.
    func hasSigned(_ message: Data, _ signature: Data) -> Bool {
        switch publicHalf {
        case .rsa(let modulus, let exponent):
            (try? _RSA.Signing.PublicKey(n: modulus, e: exponent).isValidSignature(
                .init(rawRepresentation: signature), for: message, padding: .insecurePKCS1v1_5)) ?? false
        case .p256(let x, let y):
            (try? P256.Signing.PublicKey(rawRepresentation: x + y).isValidSignature(
                P256.Signing.ECDSASignature(rawRepresentation: signature), for: message)) ?? false
        }
    }
}
