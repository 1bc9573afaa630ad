import Foundation

/// Passwords as comma-separated values, for a spreadsheet. RFC 4180.
package struct PasswordSheet {
    package let bytes: Data

    private static let heads = ["User name", "First name", "Middle name", "Last name", "Temporary password"]

    package init(_ issued: IssuedPasswords) {
        let rows = issued.people.map { [$0.userName, $0.firstName, $0.middleName ?? "", $0.lastName, $0.password] }
        let lines = ([Self.heads] + rows).map { $0.map(Self.cell).joined(separator: ",") + "\r\n" }
        // Without the mark, Excel takes the names for another encoding.
        bytes = Data(("\u{FEFF}" + lines.joined()).utf8)
    }

    /// A spreadsheet would carry out what begins like this, in quotes or not. The apostrophe makes it text.
    private static let formulaBeginnings: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    private static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map(formulaBeginnings.contains) ?? false
        let safe = (isFormula ? "'" : "") + text
        guard safe.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
