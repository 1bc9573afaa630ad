import Crypto
import Foundation
import Storage

/// A random secret that is handed out once: a code, a refresh token, a session. It has no description
/// and no `Codable`, so that it does not slip into a log or a record.
package struct Secret: Sendable {
    /// URL-safe, 43 characters for 256 bits.
    package let text: String

    package init(from surroundings: Surroundings) {
        text = Data(surroundings.randomBytes(32)).base64URLEncoded
    }

    package var hash: SecretHash { SecretHash(of: text) }
}

/// SHA-256 of a secret: all that is stored of it.
package struct SecretHash: Hashable, Sendable, SQLConvertible {
    private let bytes: [UInt8]

    package init(of secret: String) { bytes = Array(SHA256.hash(data: Data(secret.utf8))) }

    /// The first 64 bits, URL-safe: enough to name one of a few, and no help to whoever wants the secret.
    package var prefix: String { Data(bytes.prefix(8)).base64URLEncoded }

    package var sqlValue: SQLValue { .blob(bytes) }
    package init(column: Column) throws { bytes = try column.blob() }
}

extension Data {
    /// RFC 4648 §5, without padding.
    package var base64URLEncoded: String {
        // By bytes: every token passes here, and replacing within strings takes longer than sealing them.
        let characters = Array(base64EncodedData()).prefix { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Nil unless `text` is RFC 4648 §5 without padding, and the one spelling of its bytes: the spare bits of the
    /// last character must be zero (§3.5).
    package init?(base64URLEncoded text: String) {
        var characters = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        characters += repeatElement(UInt8(ascii: "="), count: (4 - characters.count % 4) % 4)
        self.init(base64Encoded: Data(characters))
        guard base64URLEncoded == text else { return nil }
    }
}
