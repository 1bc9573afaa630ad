#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// - Returns: nil unless `text` is RFC 4648 §5 without padding, and the one spelling of its bytes: the spare bits of
    ///   the last character must be zero (§3.5).
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
