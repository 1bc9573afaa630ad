import Foundation
import Ground

/// What a field may contain. The lengths are those that Apple's device management documents for the same fields.
package struct FieldRule: Sendable {
    package let bytesMax: Int
    private let isAllowed: @Sendable (String) -> String?

    /// Names of people, classes, organizations.
    package static let name = FieldRule(bytesMax: 1_024) { $0.isEmpty ? "is missing" : nil }
    package static let optionalName = FieldRule(bytesMax: 1_024) { _ in nil }
    package static let room = FieldRule(bytesMax: 512) { _ in nil }
    package static let short = FieldRule(bytesMax: 256) { _ in nil }

    /// An identifier of the source, by the rule of the files: see ``Swift/String/isSourceIdentifier``.
    package static let sourceID = FieldRule(bytesMax: 256) { text in
        if text.isEmpty { return "is missing" }
        return text.isSourceIdentifier ? nil : "may hold letters, digits, spaces and - _ . @ / only"
    }

    /// One `@` with text on both sides and no space; everything else is for the mail server to decide.
    ///
    /// Wider than what mail is sent to (`MailAddress` in `Mail`): a directory may hold addresses beyond ASCII, and tell
    /// apps of them. Files have a rule of their own (`ValueRule` in `RosterFiles`), which works on bytes.
    package static let email = FieldRule(bytesMax: 254) { text in
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlausible =
            parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
            && !text.contains(where: \.isWhitespace)
        return isPlausible ? nil : "is no email address"
    }

    package static let userName = FieldRule(bytesMax: 128) { text in
        if text.isEmpty { return "is missing" }
        if text.contains(where: { $0.isWhitespace || $0.isNewline }) { return "may not hold spaces" }
        // A dot at the end would be another spelling of the same domain.
        if text.contains("@"), text.hasSuffix(".") { return "may not end with a dot" }
        // Stricter than for other fields: a name that is typed at sign-in needs no joiners.
        let isVisible = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format }
        return isVisible ? nil : "may not hold invisible characters"
    }

    /// A realm of Kerberos. Realms are written as domain names, mostly in upper case.
    package static let realm = FieldRule(bytesMax: 255) { text in
        if text.isEmpty { return "is missing" }
        let isName = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
        return isName ? nil : "is no realm such as MAPLE.EXAMPLE"
    }

    package static let domainName = FieldRule(bytesMax: 253) { text in
        DomainName.isWellFormed(text) ? nil : "is no domain name"
    }

    /// A page that people open from one of ours.
    package static let pageAddress = FieldRule(bytesMax: 1_024) { text in
        let isSecure = (try? WebURL(text))?.origin.scheme == "https"
        return isSecure ? nil : "is no address such as https://maple.example/terms"
    }

    /// - Returns: the text, trimmed and in Unicode's composed form, so that equal names compare equal.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func check(_ text: String, field: String) throws -> String {
        let tooLong = DirectoryError.invalidField(field: field, reason: "is longer than \(bytesMax) bytes")
        // Normalizing takes time quadratic in the length, so a long text is refused first. The limit is generous, since
        // normalization can shorten a text to a third.
        guard text.utf8.count <= 4 * bytesMax else { throw tooLong }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard text.utf8.count <= bytesMax else { throw tooLong }
        guard !text.unicodeScalars.contains(where: \.isControlCode) else {
            throw DirectoryError.invalidField(field: field, reason: "may not hold control characters")
        }
        guard !text.holdsInvisible else {
            throw DirectoryError.invalidField(field: field, reason: "may not hold invisible characters")
        }
        if let reason = isAllowed(text) { throw DirectoryError.invalidField(field: field, reason: reason) }
        return text
    }

    /// The same for a field with a stored value, which stays valid even if a rule has become stricter since.
    package func check(_ text: String, unlessStill stored: String, field: String) throws -> String {
        text == stored ? stored : try check(text, field: field)
    }

    /// The same for an optional field. A blank value counts as absent.
    package func checkIfPresent(_ text: String?, field: String) throws -> String? {
        guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
        return try check(text, field: field)
    }
}

extension UInt8 {
    @inlinable package var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
