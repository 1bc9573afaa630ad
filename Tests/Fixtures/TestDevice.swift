import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A device: its key, and what it signs with it.
package struct TestDevice: Sendable {
    package let privateKey = P256.Signing.PrivateKey()

    package init() {}

    package var publicKey: P256.Signing.PublicKey { privateKey.publicKey }

    /// RFC 7518 §6.2.1.
    package var jwk: [String: String] {
        let bytes = publicKey.rawRepresentation
        return [
            "kty": "EC", "crv": "P-256", "x": Data(bytes.prefix(32)).base64URLEncoded,
            "y": Data(bytes.suffix(32)).base64URLEncoded,
        ]
    }

    package func key() throws -> DeviceKey { try Self.key(jwk) }

    package static func key(_ jwk: [String: Any]) throws -> DeviceKey {
        try DeviceKey(
            JSONDecoder().decode(DeviceKey.JWK.self, from: try JSONSerialization.data(withJSONObject: jwk)))
    }

    package var thumbprint: String {
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(jwk["x"] ?? "")","y":"\#(jwk["y"] ?? "")"}"#
        return Data(SHA256.hash(data: Data(members.utf8))).base64URLEncoded
    }

    package enum Signature: Sendable {
        case raw, der, missing
        /// HMAC with the public key as its secret: the classic confusion.
        case hmac
    }

    /// What signs the person in.
    /// - Parameters:
    ///   - claims: replace those of a good one; `NSNull` leaves one out.
    ///   - header: likewise.
    package func assertion(
        of device: String, to audience: String, at now: Date, claims: [String: Any] = [:], header: [String: Any] = [:],
        signature: Signature = .raw
    ) throws -> String {
        let second = Int(now.timeIntervalSince1970)
        let good: [String: Any] = [
            "iss": device, "aud": audience, "iat": second, "exp": second + 120, "jti": UUID().uuidString,
        ]
        func part(_ good: [String: Any], _ other: [String: Any]) throws -> String {
            let all = good.merging(other) { _, other in other }.filter { !($0.value is NSNull) }
            return try JSONSerialization.data(withJSONObject: all).base64URLEncoded
        }
        let head = try part(["alg": "ES256", "typ": "device-session+jwt", "kid": thumbprint], header)
        let content = Data("\(head).\(try part(good, claims))".utf8)
        let bytes =
            switch signature {
            case .raw: try privateKey.signature(for: content).rawRepresentation
            case .der: try privateKey.signature(for: content).derRepresentation
            case .missing: Data()
            case .hmac:
                Data(
                    HMAC<SHA256>.authenticationCode(
                        for: content, using: SymmetricKey(data: Data(publicKey.pemRepresentation.utf8))))
            }
        return "\(String(decoding: content, as: UTF8.self)).\(bytes.base64URLEncoded)"
    }
}
