/// Escapes text for HTML, for element content and for quoted attribute values alike.
enum HTMLText {
    /// A quotation mark followed by a combining accent is one character for people, and a quotation mark for browsers: so bytes are
    /// looked at, and not characters.
    static func append(_ text: String, to document: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): document += "&amp;".utf8
            case UInt8(ascii: "<"): document += "&lt;".utf8
            case UInt8(ascii: ">"): document += "&gt;".utf8
            case UInt8(ascii: "\""): document += "&quot;".utf8
            case UInt8(ascii: "'"): document += "&#39;".utf8
            default: document.append(byte)
            }
        }
    }
}
