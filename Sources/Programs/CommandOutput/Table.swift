/// Columns that line up, for people.
package enum Table {
    /// Wider cells stick out and push the rest of their own row, rather than every row off the screen.
    private static let columnsMax = 56

    /// - Parameters:
    ///   - rows: all as long as `head`.
    ///   - notes: sentences about a row each, on lines of their own below it; nil for none.
    package static func text(_ head: [String], _ rows: [[String]], notes: [String?] = []) -> String {
        let lines = lines([head] + rows)
        return lines.enumerated().flatMap { place, line in
            let note = notes.indices.contains(place - 1) ? notes[place - 1] : nil
            return [line] + (note.map { ["  \($0)"] } ?? [])
        }.joined(separator: "\n")
    }

    /// A label and a value a line. Lines without value are left out.
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
