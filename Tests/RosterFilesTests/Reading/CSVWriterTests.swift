import SeededNumbers
import Testing

@testable import RosterFiles

@Suite struct CSVWriterTests {
    private func write(
        _ rows: [[String]], separator: UInt8 = UInt8(ascii: ","), isForSpreadsheet: Bool = false
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withUnsafeMutablePointer(to: &bytes) { pointer in
            var writer = CSVWriter(separator: separator, isForSpreadsheet: isForSpreadsheet) {
                pointer.pointee.append(contentsOf: $0)
            }
            for row in rows {
                for value in row { writer.append(value) }
                try writer.endRow()
            }
            try writer.finish()
        }
        return bytes
    }

    @Test("quotes stand only where a value needs them")
    func quotesWhereNeeded() throws {
        let bytes = try write([["plain", "two words", "a,b", "a;b", #"say "hi""#, #"a\b"#, "two\nlines", ""], [""]])
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"plain,"two words","a,b","a;b","say \"hi\"","a\\b","two\"# + "\nlines\",\n\"\"\n")
    }

    @Test("whatever is written is read back byte for byte", arguments: [UInt8(ascii: ","), UInt8(ascii: ";")])
    func roundTrips(separator: UInt8) throws {
        var random = SeededGenerator(seed: 20_220_610)
        let alphabet = Array("ab \t,;\"\"\\\\\n\r\u{0}\u{7F}é„“한😀\u{FEFF}").map(String.init) + ["\r\n"]
        for _ in 0..<3_000 {
            let columns = Int.random(in: 1...5, using: &random)
            let rows = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (0..<columns).map { _ in
                    (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
                        .joined()
                }
            }
            let bytes = try write(rows, separator: separator)
            let window = Int.random(in: 1...64, using: &random)
            let read = try csvRows(bytes, separator: separator, windowBytes: window).map(\.values)
            #expect(read == rows.map { $0.map { Array($0.utf8) } })
        }
    }

    /// Cells as a spreadsheet reads them. RFC 4180 §2: quotes enclose, and a doubled one is a quote; nothing else
    /// counts.
    private func cells(inSpreadsheet bytes: [UInt8]) -> [[[UInt8]]] {
        var (rows, row, cell): ([[[UInt8]]], [[UInt8]], [UInt8]) = ([], [], [])
        var (isQuoted, at) = (false, 0)
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\"") where isQuoted && at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "\""):
                cell.append(bytes[at])
                at += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                row.append(cell)
                cell = []
            case UInt8(ascii: "\n") where !isQuoted:
                rows.append(row + [cell])
                (row, cell) = ([], [])
            default: cell.append(bytes[at])
            }
            at += 1
        }
        return rows
    }

    @Test("no value gets out of its cell in a spreadsheet, or is a formula there")
    func spreadsheetCells() throws {
        let values = [
            #"Anna",=HYPERLINK("https://evil.example")"#, #"a\",=1+1"#, #"a\"#, #"\"=1"#, "=1", "+1", "-1", "@A1",
            "\t=1",
            "\r=1", "\n=1", "\r\n=1", "＝1", "＋1", "－1", "＠A1", "two\n=lines", "plain",
        ]
        let bytes = try write([values, ["end", "of", "it"]], isForSpreadsheet: true)
        let rows = cells(inSpreadsheet: bytes)
        #expect(rows.map(\.count) == [values.count, 3])
        for (value, cell) in zip(values, rows[0]) {
            let shown = String(decoding: cell, as: UTF8.self)
            let isFormula = "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(value.unicodeScalars.first!)  // none is empty
            #expect(shown == (isFormula ? "'" : "") + value.replacing(#"\"#, with: #"\\"#))
        }
    }

    @Test("what was written for a spreadsheet is read back byte for byte, but for the apostrophes")
    func spreadsheetRoundTrips() throws {
        var random = SeededGenerator(seed: 4_180)
        let alphabet = Array("ab ,;\"\"\\\\\n\ré한").map(String.init) + ["\r\n"]
        for _ in 0..<3_000 {
            let row = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                // A letter first, so that none begins like a formula.
                "a"
                    + (0..<Int.random(in: 0...8, using: &random)).map { _ in
                        alphabet.randomElement(using: &random)!
                    }.joined()
            }
            let read = try csvRows(
                try write([row, row], isForSpreadsheet: true),
                windowBytes: Int.random(in: 1...64, using: &random)
            ).map(\.values)
            #expect(read == [row, row].map { $0.map { Array($0.utf8) } })
        }
    }

    @Test("values longer than a chunk are written and read back")
    func writesLongValues() throws {
        let value = String(repeating: "\"\\\n,", count: 60_000)
        let read = try csvRows(write([[value, "x"], ["y", value]])).map(\.values)
        #expect(read == [[Array(value.utf8), [0x78]], [[0x79], Array(value.utf8)]])
    }
}
