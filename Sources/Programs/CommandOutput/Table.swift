/// Text in aligned columns.
package enum Table {
    /// The maximum width of a column. A longer cell shifts only the rest of its own row, not that of all rows.
    private static let columnsMax = 56

    /// - Parameters:
    ///   - rows: each with as many cells as `head`.
    ///   - notes: for each row a sentence that is printed on a line below it, or nil.
    package static func text(_ head: [String], _ rows: [[String]], notes: [String?] = []) -> String {
        let lines = lines([head] + rows)
        return lines.enumerated().flatMap { place, line in
            let note = notes.indices.contains(place - 1) ? notes[place - 1] : nil
            return [line] + (note.map { ["  \($0)"] } ?? [])
        }.joined(separator: "\n")
    }

    /// One line for each field, with its label and value. Fields without a value are left out.
    package static func fields(_ fields: [(label: String, value: String?)]) -> String {
        lines(fields.compactMap { field in field.value.map { [field.label, $0] } }).joined(separator: "\n")
    }

    private static func lines(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0[column].displayWidth }.filter { $0 <= columnsMax }.max() ?? 0
        }
        return rows.map { row in
            var line = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: max(0, widths[column] - cell.displayWidth))
            }.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }
}
