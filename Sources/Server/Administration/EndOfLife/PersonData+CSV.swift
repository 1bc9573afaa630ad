import RosterFiles

extension PersonData {
    /// A row for each value: section, row within it, column, value. RFC 4180. What a spreadsheet would take for a
    /// formula has an apostrophe before it.
    package var csv: String {
        var lines = [["section", "row", "column", "value"]]
        for section in sections {
            for (index, row) in section.rows.enumerated() {
                for column in section.columns {
                    guard let value = row[column] else { continue }
                    lines.append([section.name.rawValue, "\(index + 1)", column, value])
                }
            }
        }
        return lines.map { $0.map(Self.cell).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func cell(_ value: String) -> String {
        "\"\(SpreadsheetText.literal(value).replacing("\"", with: "\"\""))\""
    }
}
