extension RosterFileReader {
    /// Refuses encodings with characters of two or more bytes, and skips a byte order mark.
    mutating func checkEncoding() throws -> Bool {
        let beginning = try csv.peek()
        if let encoding = TextEncoding.wideEncoding(of: beginning) {
            defects.report(
                .wrongEncoding, in: file.name, line: 1, "The file is in \(encoding), not in UTF-8.",
                remedy: "Save it as UTF-8; in a spreadsheet choose “CSV UTF-8”.")
            return false
        }
        if beginning.starts(with: TextEncoding.byteOrderMark) {
            csv.skip(TextEncoding.byteOrderMark.count)
            defects.report(
                .byteOrderMark, in: file.name, line: 1, "The file begins with a byte order mark, which is ignored.",
                remedy: "Save it as UTF-8 without a byte order mark.")
        }
        return true
    }

    /// Finds the separator by the header row, and uses it for the whole file.
    mutating func chooseSeparator() throws -> Bool {
        let beginning = try csv.peek()
        let lines = beginning.lazy.split(maxSplits: 1) { $0 == .lineFeed || $0 == .carriageReturn }
        guard let header = lines.first(where: { _ in true }) else {
            defects.report(
                .emptyFile, in: file.name, "The file is empty.",
                remedy: "Write at least the line \(file.columns.map(\.name).joined(separator: ",")).")
            return false
        }
        let commas = header.count { $0 == .comma }
        let semicolons = header.count { $0 == .semicolon }
        let tabs = header.count { $0 == .tab }
        if commas > 0, semicolons > 0 {
            defects.report(
                .wrongSeparator, in: file.name, line: 1, "The header has both commas and semicolons.",
                remedy: "Use one of the two in the whole file.")
            return false
        }
        if commas + semicolons == 0, tabs > 0 {
            defects.report(
                .wrongSeparator, in: file.name, line: 1, "The values are separated by tabs.",
                remedy: "Save the file with commas or semicolons between the values.")
            return false
        }
        csv.separate(by: semicolons > 0 ? .semicolon : .comma)
        return true
    }

    mutating func readHeader() throws -> RosterHeader? {
        let outcome = try csv.next()
        let inspector = CellInspector(file: file, defects: defects)
        switch outcome {
        case .row where csv.cellCount <= RowScanner.cellsMax:
            var isSound = true
            for cell in csv.cells where !inspector.checkForm(of: cell, line: csv.line, column: nil) { isSound = false }
            let names = csv.cells.map { String(decoding: $0.bytes, as: UTF8.self) }
            let header = RosterHeader(names, of: file, optional: optional, line: csv.line, defects: defects)
            return isSound ? header : nil
        case .row, .rowTooLong, .unbalancedQuote, .tooManyBlankLines, .end:
            defects.report(
                .wrongHeader, in: file.name, line: max(csv.line, 1),
                "The first line is not the header of \(file.name).",
                remedy: "Begin the file with the line \(file.columns.map(\.name).joined(separator: ",")).")
            return nil
        }
    }
}
