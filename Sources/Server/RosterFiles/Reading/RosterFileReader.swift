/// Reads one of the six files: hands over its rows and reports everything that is wrong with it in one pass.
///
/// It checks what can be checked within one file: encoding, header, form of the rows, values. ``RosterChecks`` checks
/// keys and references in the database. Memory does not grow with the file.
package struct RosterFileReader: ~Copyable {
    package struct Summary: Equatable, Sendable {
        /// Rows handed over.
        package var rows = 0
        /// Whether a defect made rows unreadable, so that some are missing. References into such a file cannot be
        /// checked.
        package var isIncomplete = false
        /// Whether the header has `class_display_name`, the only optional column.
        package var hasDisplayNames = false
    }

    let file: RosterFile
    let optional: Set<RosterColumn>
    let defects: DefectLog
    var csv: CSVReader

    /// - Parameters:
    ///   - optional: columns that may be left out, although the file requires them.
    ///   - onBytes: sees each byte of the file once, in order, as it is read (for a digest or a progress bar).
    package init(
        _ file: RosterFile, from stream: any ByteStream, optional: Set<RosterColumn> = [], defects: DefectLog,
        onBytes: @escaping (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) {
        self.file = file
        self.optional = optional
        self.defects = defects
        csv = CSVReader(stream, onBytes: onBytes)
    }

    /// Reads to the end of the file.
    /// - Throws: only what `body` and `onBytes` throw; everything else becomes a defect.
    package mutating func forEachRow(_ body: (borrowing RosterRow) throws -> Void) throws -> Summary {
        var summary = Summary()
        do {
            try readRows(&summary, body)
        } catch let error as UnreadableFile {
            summary.isIncomplete = true
            defects.report(error.code, in: file.name, error.message, remedy: error.remedy)
        }
        return summary
    }

    private mutating func readRows(_ summary: inout Summary, _ body: (borrowing RosterRow) throws -> Void) throws {
        summary.isIncomplete = true
        guard try checkEncoding(), try chooseSeparator(), let header = try readHeader() else { return }
        summary.isIncomplete = false
        summary.hasDisplayNames = header.fields.contains { $0.column == .classDisplayName }
        let layout = RosterLayout(header)
        defer { layout.deallocate() }
        let inspector = RowInspector(file: file, header: header, layout: layout, defects: defects)
        var reportedLineEnding = false
        var blankRows = 0
        while true {
            switch try csv.next() {
            case .row:
                switch inspector.inspect(csv) {
                case .blank:
                    blankRows += 1
                    if blankRows > CSVReader.blankLinesMax {
                        summary.isIncomplete = true
                        return inspector.reportTooManyBlankLines(csv)
                    }
                case .broken: summary.isIncomplete = true
                case .readable(let hasError):
                    summary.rows += 1
                    try body(RosterRow(line: csv.line, hasError: hasError, cells: csv.cells, layout: layout))
                }
            case .rowTooLong:
                summary.isIncomplete = true
                inspector.reportRowTooLong(csv)
            case .unbalancedQuote:
                summary.isIncomplete = true
                inspector.reportUnbalancedQuote(csv)
            case .tooManyBlankLines:
                summary.isIncomplete = true
                return inspector.reportTooManyBlankLines(csv)
            case .end:
                return
            }
            if csv.sawBareCarriageReturn, !reportedLineEnding {
                reportedLineEnding = true
                defects.report(
                    .wrongLineEnding, in: file.name, line: csv.line, "A line ends with CR alone.",
                    remedy: "Save the file with LF (Unix) line ends.")
            }
        }
    }
}
