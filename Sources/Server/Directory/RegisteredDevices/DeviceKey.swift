import Crypto
import Foundation
import Ground

/// The public half of a device's key: P-256.
package struct DeviceKey: Equatable, Sendable {
    /// X9.63 without compression: 65 bytes.
    package let bytes: [UInt8]
    /// RFC 7638, with SHA-256: 43 characters.
    package let thumbprint: String

    private init(_ key: P256.Signing.PublicKey) {
        bytes = Array(key.x963Representation)
        let (x, y) = (Data(bytes[1..<33]).base64URLEncoded, Data(bytes[33..<65]).base64URLEncoded)
        // RFC 7638 §3.2: the members that an EC key requires, in the order of their names, without spaces.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        thumbprint = Data(SHA256.hash(data: Data(members.utf8))).base64URLEncoded
    }

    /// Reads a JWK (RFC 7518 §6.2.1). Members that do not belong to a public EC key are ignored.
    /// - Throws: ``DeviceRefusal/invalidKey(_:)``
    package init(_ jwk: JWK) throws {
        guard jwk.kty == "EC" else { throw DeviceRefusal.invalidKey("kty is “\(jwk.kty.prefix(16))”, not EC") }
        guard jwk.crv == "P-256" else {
            throw DeviceRefusal.invalidKey(
                jwk.crv.map { "crv is “\($0.prefix(16))”, not P-256" } ?? "crv is missing; it must be P-256")
        }
        guard !jwk.isPrivate else {
            throw DeviceRefusal.invalidKey("it has d, the private half, which must never leave the device")
        }
        guard let x = jwk.x.flatMap({ Data(base64URLEncoded: $0) }), x.count == 32,
            let y = jwk.y.flatMap({ Data(base64URLEncoded: $0) }), y.count == 32
        else { throw DeviceRefusal.invalidKey("x and y must be 32 bytes each, base64url without padding") }
        guard let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y) else {
            throw DeviceRefusal.invalidKey("x and y name no point of the curve P-256")
        }
        self.init(key)
    }

    package init(stored bytes: [UInt8]) throws {
        self.init(try P256.Signing.PublicKey(x963Representation: bytes))
    }

    var stored: [UInt8] { bytes }

    /// - Parameter signature: 64 bytes `r‖s`. ASN.1 DER is not accepted (RFC 7518 §3.4).
    func isValid(_ signature: Data, of message: Data) -> Bool {
        guard signature.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            let key = try? P256.Signing.PublicKey(x963Representation: bytes)
        else { return false }
        return key.isValidSignature(raw, for: message)
    }

    /// A key as received, not checked yet.
    package struct JWK: Decodable, Sendable {
        let kty: String
        let crv: String?
        let x: String?
        let y: String?
        let isPrivate: Bool

        private enum CodingKeys: String, CodingKey {
            case kty, crv, x, y, d
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kty = try container.decode(String.self, forKey: .kty)
            crv = try container.decodeIfPresent(String.self, forKey: .crv)
            x = try container.decodeIfPresent(String.self, forKey: .x)
            y = try container.decodeIfPresent(String.self, forKey: .y)
            isPrivate = container.contains(.d)
        }
    }
}
