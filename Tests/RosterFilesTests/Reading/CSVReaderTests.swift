import Testing

@testable import RosterFiles

@Suite struct CSVReaderTests {
    private func values(_ text: String, windowBytes: Int = 256 * 1_024) throws -> [[String]] {
        try csvRows(text.utf8, windowBytes: windowBytes).map { $0.values.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("plain, quoted and empty values come as they are", arguments: [1, 2, 3, 7, 1_000])
    func readsValues(windowBytes: Int) throws {
        let rows = try values("a,\"b c\",,\"\"\n1,2,3,4\n", windowBytes: windowBytes)
        #expect(rows == [["a", "b c", "", ""], ["1", "2", "3", "4"]])
    }

    @Test("quotes, backslashes and line breaks are unescaped in both dialects", arguments: [1, 2, 3, 1_000])
    func unescapes(windowBytes: Int) throws {
        let rows = try values(
            #""say \"hi\"","say ""hi""","a\\b","C:\dir",O\"Neil"# + "\n\"two\nlines\",\"two\\\nlines\",x\\\ny,,\n",
            windowBytes: windowBytes)
        #expect(
            rows == [
                [#"say "hi""#, #"say "hi""#, #"a\b"#, #"C:\dir"#, #"O"Neil"#],
                ["two\nlines", "two\nlines", "x\ny", "", ""],
            ])
    }

    @Test(
        "LF, CR LF and a missing last line end all end rows",
        arguments: ["a,b\nc,d", "a,b\r\nc,d\r\n", "a,b\n\n\r\nc,d\n"])
    func endsRows(text: String) throws {
        let rows = try values(text, windowBytes: 1)
        #expect(rows == [["a", "b"], ["c", "d"]])
    }

    @Test("a row knows the line on which it begins, whatever line breaks its values hold")
    func countsLines() throws {
        let rows = try csvRows("a\n\n\"x\ny\\\r\nz\"\r\n\r\nb\\\nc\nlast".utf8, windowBytes: 1)
        #expect(rows.map(\.line) == [1, 3, 7, 9])
    }

    @Test("after a quote that is never closed reading goes on with the next line")
    func recoversFromOpenQuote() throws {
        let rows = try csvRows("a,b\nc,\"d\ne,f\n\"g h\",i\n".utf8)
        #expect(rows.map(\.line) == [1, 2, 3, 4])
        #expect(rows[1].values.isEmpty)
        #expect(rows[3].values == [Array("g h".utf8), Array("i".utf8)])
    }

    @Test("a row longer than the limit is passed over, even without an end")
    func passesOverLongRows() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let rows = try csvRows("a\n\(long)\nb\n\(long)".utf8)
        #expect(rows.map(\.line) == [1, 2, 3, 4])
        #expect(rows.map(\.values.isEmpty) == [false, true, false, true])
    }

    @Test(
        "the limit of a row holds to the byte, however much is read at a time",
        arguments: [1_000, 256 * 1_024, 3 << 20])
    func limitsRows(windowBytes: Int) throws {
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: CSVReader.rowBytesMax - 1) + [UInt8(ascii: "\n")]
        let last = Array("y".utf8)
        let within = try csvRows(longest + last, windowBytes: windowBytes).map(\.values)
        let beyond = try csvRows([UInt8(ascii: "x")] + longest + last, windowBytes: windowBytes).map(\.values)
        #expect(within == [[longest.dropLast()], [last]])
        #expect(beyond == [[], [last]])
    }
}
