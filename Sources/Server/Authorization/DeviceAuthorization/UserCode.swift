import Directory
import Ground

/// The code that the person types: eight letters that are not easily confused and form no words. RFC 8628 §6.1.
package enum UserCode {
    private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"
    private static let length = 8

    package static func make(from surroundings: Surroundings) -> String {
        surroundings.randomText(length, from: alphabet)
    }

    /// The code with a hyphen in the middle.
    package static func spelled(_ code: String) -> String { "\(code.prefix(4))-\(code.suffix(4))" }

    package static func parse(_ text: String) -> String? {
        let code = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        return code.count == length && code.allSatisfy { alphabet.contains($0) } ? code : nil
    }
}
