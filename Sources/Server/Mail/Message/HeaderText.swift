import Foundation
import Ground

/// Text as headers carry it. Whatever goes in, what comes out is ASCII, has no line break but those of folding, and
/// decodes to the text: nothing can end a header and begin another. RFC 2047, RFC 5322 §2.2.3.
package enum HeaderText {
    /// For a header that holds any text, such as the subject.
    package static func unstructured(_ text: String) -> String {
        isPlain(text) ? text : encodedWords(text)
    }

    /// For the name before an address, where more characters have a meaning.
    package static func phrase(_ text: String) -> String {
        let isAtoms = text.utf8.allSatisfy { MailAddress.isAtomText($0) || $0 == UInt8(ascii: " ") }
        if isPlain(text), isAtoms { return text }
        guard isPlain(text) else { return encodedWords(text) }
        let quoted = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(quoted)\""
    }

    /// Short enough not to be folded, printable, and nothing that a reader would take for an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 60 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
            && text.first != " " && text.last != " "
    }

    /// Words of whole characters, each on a line of its own, which has at most 76 characters with the header's name in
    /// front. RFC 2047 §2.
    private static func encodedWords(_ text: String) -> String {
        // 39 bytes make 52 characters of base64, 64 with what stands around them.
        var words: [[UInt8]] = [[]]
        // Encoded, line breaks and other controls would still break the line that a reader shows.
        for scalar in text.withoutControls.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
