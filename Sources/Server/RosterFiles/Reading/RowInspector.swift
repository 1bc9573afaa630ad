/// Checks whole rows below the header and reports what is wrong with them.
struct RowInspector {
    enum Verdict {
        /// Nothing but separators, as spreadsheets leave below the last row.
        case blank
        /// The row cannot be divided into cells.
        case broken
        case readable(hasError: Bool)
    }

    private let file: RosterFile
    private let header: RosterHeader
    private let layout: RosterLayout
    private let columnCount: Int
    private let defects: DefectLog
    private let cellInspector: CellInspector

    init(file: RosterFile, header: RosterHeader, layout: RosterLayout, defects: DefectLog) {
        self.file = file
        self.header = header
        self.layout = layout
        self.columnCount = header.names.count
        self.defects = defects
        cellInspector = CellInspector(file: file, defects: defects)
    }

    func inspect(_ csv: borrowing CSVReader) -> Verdict {
        let cells = csv.cells
        if cells[0].count == 0, csv.cellCount <= RowScanner.cellsMax, cells.allSatisfy({ $0.count == 0 }) {
            return .blank
        }
        let isWhole = csv.cellCount == columnCount
        var hasError = false
        if !csv.traits.isSubset(of: .proper) {
            for (position, cell) in cells.enumerated() where !cell.isPlain {
                let isSound = cellInspector.checkForm(of: cell, line: csv.line, column: header.name(at: position))
                if !isSound { hasError = true }
                // A wrong quote explains the wrong number of cells, and the cells after it are unreliable.
                if !isWhole, !isSound, cell.traits.contains(.strayQuote) || CurlyQuotes.begin(cell.bytes) {
                    return .broken
                }
            }
        }
        guard isWhole else {
            reportCellCount(csv)
            return .broken
        }
        for field in layout.fields
        where !cellInspector.checkValue(of: cells[field.position], in: field, line: csv.line) {
            hasError = true
        }
        return .readable(hasError: hasError)
    }

    private func reportCellCount(_ csv: borrowing CSVReader) {
        let first = csv.cells[0]
        let other: UInt8 = csv.separator == .comma ? .semicolon : .comma
        if csv.cellCount == 1, first.bytes.count(where: { $0 == other }) + 1 == columnCount {
            defects.report(
                .wrongSeparator, in: file.name, line: csv.line, value: cellInspector.shown(first),
                "The row is not separated like the header.", remedy: "Use one separator in the whole file.")
            return
        }
        defects.report(
            .wrongCellCount, in: file.name, line: csv.line, value: cellInspector.shown(first),
            "The row has \(csv.cellCount) cells, the header \(columnCount).",
            remedy: "Give each row one cell for each column; put quotes around a value that holds the separator.")
    }

    func reportRowTooLong(_ csv: borrowing CSVReader) {
        defects.report(
            .rowTooLong, in: file.name, line: csv.line,
            "The row is longer than 1 MiB.", remedy: "Look for a missing line break or closing quote.")
    }

    func reportTooManyBlankLines(_ csv: borrowing CSVReader) {
        defects.report(
            .tooManyBlankLines, in: file.name, line: csv.line,
            "More than \(CSVReader.blankLinesMax) lines of the file are blank; the rest was not read.",
            remedy: "Remove the blank lines.")
    }

    func reportUnbalancedQuote(_ csv: borrowing CSVReader) {
        let position = csv.cellCount - 1
        defects.report(
            .unbalancedQuote, in: file.name, line: csv.line, column: header.name(at: position),
            value: position < csv.cells.count ? cellInspector.shown(csv.cells[position]) : nil,
            "A quote opens here and is not closed.",
            remedy: "Close it; inside quotes write \\\" for a quote and \\\\ for a backslash at the end.")
    }
}
