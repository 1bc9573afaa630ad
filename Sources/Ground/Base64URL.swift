#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Base64url without padding. RFC 4648 §5.
///
/// Each token has several parts of it. With Foundation's Base64, whose alphabet and padding are others, each part would be
/// made four times.
private enum Base64URL {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    /// - Parameter text: has room for ``length(of:)`` characters.
    static func encode(_ bytes: UnsafeRawBufferPointer, to text: UnsafeMutableBufferPointer<UInt8>) {
        let alphabet = alphabet.utf8Start
        var (source, target) = (0, 0)
        while source + 2 < bytes.count {
            let group = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
            text[target] = alphabet[Int(group >> 18)]
            text[target + 1] = alphabet[Int(group >> 12 & 63)]
            text[target + 2] = alphabet[Int(group >> 6 & 63)]
            text[target + 3] = alphabet[Int(group & 63)]
            source += 3
            target += 4
        }
        guard source < bytes.count else { return }
        // What is missing in the last group counts as zero, and has no characters.
        var group = UInt32(bytes[source]) << 16
        if source + 1 < bytes.count { group |= UInt32(bytes[source + 1]) << 8 }
        text[target] = alphabet[Int(group >> 18)]
        text[target + 1] = alphabet[Int(group >> 12 & 63)]
        if source + 1 < bytes.count { text[target + 2] = alphabet[Int(group >> 6 & 63)] }
    }

    /// - Returns: nil unless the text is in its canonical form, in which the unused bits of the last character are zero.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // The bits that are not part of a whole byte yet.
        var (rest, restBits): (UInt32, UInt32) = (0, 0)
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count) { bytes, count in
            for character in text {
                guard let value = value(of: character) else {
                    rest = .max
                    return
                }
                rest = rest << 6 | UInt32(value)
                restBits += 6
                guard restBits >= 8 else { continue }
                restBits -= 8
                bytes[count] = UInt8(truncatingIfNeeded: rest >> restBits)
                rest &= (1 << restBits) - 1
                count += 1
            }
        }
        // Six bits are left where a single character stands at the end, which means nothing.
        return rest == 0 && restBits < 6 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var base64URLEncoded: String {
        let length = Base64URL.length(of: count)
        return String(unsafeUninitializedCapacity: length) {
            Base64URL.encode(self, to: $0)
            return length
        }
    }
}

extension Data {
    /// Base64url without padding. RFC 4648 §5.
    package var base64URLEncoded: String { withUnsafeBytes { $0.base64URLEncoded } }

    /// - Returns: nil unless `text` is base64url without padding in its canonical form, in which the unused bits of the
    ///   last character are zero. RFC 4648 §3.5 and §5.
    package init?(base64URLEncoded text: String) {
        var text = text
        guard let bytes = text.withUTF8(Base64URL.decode) else { return nil }
        self.init(bytes)
    }

    package init?(base64URLEncoded text: Substring) { self.init(base64URLEncoded: String(text)) }
}

extension [UInt8] {
    /// Base64url without padding. RFC 4648 §5.
    package var base64URLEncoded: String { withUnsafeBytes { $0.base64URLEncoded } }

    /// Appends base64url without padding.
    package mutating func append(base64URL bytes: [UInt8]) {
        let start = count
        append(contentsOf: repeatElement(0, count: Base64URL.length(of: bytes.count)))
        bytes.withUnsafeBytes { bytes in
            withUnsafeMutableBufferPointer { Base64URL.encode(bytes, to: .init(rebasing: $0[start...])) }
        }
    }
}
