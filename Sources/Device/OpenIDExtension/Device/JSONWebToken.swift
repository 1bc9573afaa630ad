import Crypto
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signed token of this device: JWS in its compact form, ES256. RFC 7515.
enum JSONWebToken {
    typealias Object = [String: PropertyListValue]

    static func sign(_ claims: Object, header: Object, with key: P256.Signing.PrivateKey) throws -> String {
        var header = header
        header["alg"] = .string("ES256")
        let signed = try "\(encode(header)).\(encode(claims))"
        let signature = try key.signature(for: Data(signed.utf8))
        return "\(signed).\(signature.rawRepresentation.base64URL)"
    }

    private static func encode(_ object: Object) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(object).base64URL
    }
}

extension DataProtocol {
    /// RFC 4648 §5, without padding.
    var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension Data {
    init?(base64URL text: some StringProtocol) {
        let plain = String(text).replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }
}

/// As many bits as nobody guesses.
func randomText() -> String {
    SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64URL
}

func sha256(_ text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }
