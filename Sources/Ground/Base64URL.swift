#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Data {
    /// Base64url without padding. RFC 4648 §5.
    package var base64URLEncoded: String {
        // On bytes, because this runs for every token and replacing characters in a `String` took longer than
        // encrypting the token.
        let characters = Array(base64EncodedData()).prefix { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// - Returns: nil unless `text` is base64url without padding in its canonical form, in which the unused bits of the
    ///   last character are zero. RFC 4648 §3.5 and §5.
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
        guard base64URLEncoded.isExactly(text) else { return nil }
    }

    package init?(base64URLEncoded text: Substring) { self.init(base64URLEncoded: String(text)) }
}
