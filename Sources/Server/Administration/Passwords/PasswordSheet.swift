import Foundation
import RosterFiles

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

    private static func cell(_ text: String) -> String {
        let safe = SpreadsheetText.literal(text)
        guard safe.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
