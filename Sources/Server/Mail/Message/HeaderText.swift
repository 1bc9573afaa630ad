import Foundation
import Ground

/// Encodes text for headers (RFC 2047, RFC 5322 §2.2.3). The result is ASCII without line breaks except those of
/// folding, so that no text can end a header and begin another.
package enum HeaderText {
    /// For a header with free text, such as the subject.
    package static func unstructured(_ text: String) -> String {
        isPlain(text) ? text : encodedWords(text)
    }

    /// For the name in front of an address, where more characters are special.
    package static func phrase(_ text: String) -> String {
        let isAtoms = text.utf8.allSatisfy { MailAddress.isAtomText($0) || $0 == UInt8(ascii: " ") }
        if isPlain(text), isAtoms { return text }
        guard isPlain(text) else { return encodedWords(text) }
        let quoted = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(quoted)\""
    }

    /// Whether the text can stay as it is: short enough not to need folding, printable ASCII, and without `=?`, which
    /// would begin an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 60 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
            && text.first != " " && text.last != " "
    }

    /// Encoded words, each on a line of its own, without splitting a character. A line has at most 76 characters,
    /// including the name of the header. RFC 2047 §2.
    private static func encodedWords(_ text: String) -> String {
        // 39 bytes make 52 characters of base64, or 64 with the delimiters of the encoded word.
        var words: [[UInt8]] = [[]]
        // Controls are replaced although they would be encoded: a mail program that decodes a line break would show two
        // lines.
        for scalar in text.withoutControls.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
