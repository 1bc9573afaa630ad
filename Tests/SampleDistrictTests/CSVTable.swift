/// A CSV file read by the cell rules, by code of its own: what the generator gets wrong shall not be read as right.
struct CSVTable {
    struct Failure: Error {
        let line: Int
        let reason: String
    }

    let columns: [String]
    /// Cells as they stand in the file, quotes and all.
    let rawRows: [[String]]

    init(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(line: 0, reason: "not UTF-8")
        }
        guard text.hasSuffix("\n"), !text.contains("\r") else {
            throw Failure(line: 0, reason: "line ends must be LF")
        }
        let rows = try text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .map { index, line in try Self.cells(of: line, line: index + 1) }
        columns = rows[0]
        rawRows = Array(rows.dropFirst())
        for (index, row) in rawRows.enumerated() where row.count != columns.count {
            throw Failure(line: index + 2, reason: "\(row.count) cells under \(columns.count) columns")
        }
    }

    /// The values of a column, top to bottom.
    func values(_ column: String) throws -> [String] {
        guard let index = columns.firstIndex(of: column) else {
            throw Failure(line: 1, reason: "no column \(column)")
        }
        return rawRows.map { Self.value($0[index]) }
    }

    func rows() -> [[String: String]] {
        rawRows.map { cells in
            Dictionary(uniqueKeysWithValues: zip(columns, cells.map(Self.value)))
        }
    }

    static func value(_ cell: String) -> String {
        let inner = cell.hasPrefix("\"") ? cell.dropFirst().dropLast() : Substring(cell)
        return String(inner.replacing("\\\"", with: "\""))
    }

    private static func cells(of line: Substring, line number: Int) throws -> [String] {
        var cells: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if scalar == ",", !isQuoted {
                cells.append("")
                continue
            }
            if scalar == "\"", !isEscaped {
                isQuoted.toggle()
            }
            isEscaped = scalar == "\\" && !isEscaped
            cells[cells.count - 1].unicodeScalars.append(scalar)
        }
        guard !isQuoted else { throw Failure(line: number, reason: "unbalanced quotes") }
        return cells
    }
}
