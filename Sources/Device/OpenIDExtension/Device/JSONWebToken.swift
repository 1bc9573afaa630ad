import Crypto
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs tokens with this device's key: JWS compact serialization with ES256. RFC 7515.
enum JSONWebToken {
    typealias Object = [String: PropertyListValue]

    static func sign(_ claims: Object, header: Object, with key: P256.Signing.PrivateKey) throws -> String {
        var header = header
        header["alg"] = .string("ES256")
        let signed = try "\(encode(header)).\(encode(claims))"
        let signature = try key.signature(for: Data(signed.utf8))
        return "\(signed).\(signature.rawRepresentation.base64URLEncoded)"
    }

    private static func encode(_ object: Object) throws -> String {
        try JSONEncoder.stable.encode(object).base64URLEncoded
    }
}

func sha256(_ text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }
