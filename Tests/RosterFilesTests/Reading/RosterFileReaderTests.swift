import Testing

@testable import RosterFiles

@Suite struct RosterFileReaderTests {
    @Test(
        "a defect in a row is named by line, column and code",
        arguments: [
            ("A-1,\"One\"\nA-2,Two,3\n", "3 - wrong_cell_count"),
            ("A-1\n", "2 - wrong_cell_count"),
            ("A-1,\"“One\",x\nA-2,Two\n", "2 - wrong_cell_count"),
            ("A-1,One\nA-2;Two\n", "3 - wrong_separator"),
            ("A-1,\"One\nA-2,Two\n", "2 location_name unbalanced_quote"),
            ("A-1,\"One\nA-2,\"Two words\"\nA-3,Three\n", "2 location_name unbalanced_quote"),
            ("A-1,One \"and\" two\n", "2 location_name stray_quote"),
            ("A-1,\"One \"and, two\" three\"\n", "2 location_name stray_quote"),
            ("A-1,“One”\n", "2 location_name curly_quotes"),
            ("A-1,“One, Two”\n", "2 location_name curly_quotes"),
            ("A-1, One\n", "2 location_name space_after_separator"),
            ("A-1,\t\"One\"\n", "2 location_name space_after_separator"),
            ("A-1,One \n", "2 location_name space_before_separator"),
            ("A-1 ,One\n", "2 location_id space_before_separator"),
            ("A-1,On\u{0}e\n", "2 location_name control_character"),
            ("A-1,On\u{1B}[31me\n", "2 location_name control_character"),
            ("A-1,On\te\n", "2 location_name control_character"),
            ("A-1,\"One\nTwo\"\n", "2 location_name control_character"),
            ("A-1,On\u{85}e\n", "2 location_name control_character"),
            ("A-1,\n", "2 location_name value_missing"),
            ("A-1,\"\n\"\n", "2 location_name value_missing"),
            ("A-1,\"  \"\n", "2 location_name value_missing"),
            (",One\n", "2 location_id value_missing"),
            ("\" A1\",One\n", "2 location_id invalid_identifier"),
            ("A:1,One\n", "2 location_id invalid_identifier"),
            ("A\u{200B}1,One\n", "2 location_id invalid_identifier"),
            ("A\u{202E}1,One\n", "2 location_id invalid_identifier"),
            ("A\u{A0}1,One\n", "2 location_id invalid_identifier"),
            ("\u{3164},One\n", "2 location_id invalid_identifier"),
            ("A_1.b,One\n", "2 location_id unusual_identifier"),
            ("\"AG Schach\",One\n", "2 location_id unusual_identifier"),
            ("marianuñez,One\n", "2 location_id unusual_identifier"),
            ("مدرسة-١,One\n", "2 location_id unusual_identifier"),
            ("ana@birch.example/1,One\n", "2 location_id unusual_identifier"),
            ("1000.0,One\n", "2 location_id decimal_identifier"),
            ("A-1,One\u{202E}owT\n", "2 location_name invisible_character"),
            ("A-1,One\u{200B}Two\n", "2 location_name invisible_character"),
            ("A-1,On\u{200C}e\n", "2 location_name invisible_character"),
            ("A-1,=HYPERLINK(0)\n", "2 location_name formula"),
            ("A-1,@SUM(1)\n", "2 location_name formula"),
            (String(repeating: "A", count: 257) + ",One\n", "2 location_id value_too_long"),
            ("A-1," + String(repeating: "é", count: 513) + "\n", "2 location_name value_too_long"),
            ("A-1,One\rA-2,Two\rA-3,Three\n", "2 - wrong_line_ending"),
        ])
    func namesDefect(rows: String, expected: String) throws {
        let reading = try Reading("location_id,location_name\n" + rows, as: .locations)
        #expect(reading.found == [expected])
    }

    @Test(
        "values of students are checked",
        arguments: [
            ("ana@birch.example,4", nil), ("田中@例え.example,6", nil), (",8", nil), (",", nil),
            ("ana,4", "2 email_address invalid_email_address"),
            ("@birch.example,4", "2 email_address invalid_email_address"),
            ("ana@birch,4", "2 email_address invalid_email_address"),
            ("ana@@birch.example,4", "2 email_address invalid_email_address"),
            ("ana@birch..example,4", "2 email_address invalid_email_address"),
            ("ana@birch.example.,4", "2 email_address invalid_email_address"),
            ("a.@birch.example,4", "2 email_address invalid_email_address"),
            ("\"a b@birch.example\",4", "2 email_address invalid_email_address"),
            (",5", "2 password_policy value_not_allowed"), (",08", "2 password_policy value_not_allowed"),
        ] as [(String, String?)])
    func checksValues(cells: String, expected: String?) throws {
        let header = """
            person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,sis_username,\
            email_address,password_policy

            """
        let reading = try Reading(header + "S-1,A-1,Ana,Ruiz,,,,," + cells + "\n", as: .students)
        #expect(reading.found == [expected].compactMap { $0 })
        #expect(reading.summary == .init(rows: 1, isIncomplete: false))
    }

    @Test("joiners belong to Persian, Indian languages and emoji, selectors to kanji, a hyphen alone is no formula")
    func acceptsJoiners() throws {
        let names = ["می\u{200C}خواهم", "क्\u{200D}ष", "👩\u{200D}🏫", "葛\u{E0100}城", "-"]
        let rows = names.enumerated().map { "A-\($0),\($1)\n" }.joined()
        #expect(try Reading("location_id,location_name\n" + rows, as: .locations).found == [])
    }

    @Test("more blank lines than a spreadsheet has rows end the reading", arguments: ["\n", ",\n"])
    func boundsBlankLines(line: String) throws {
        let lines = String(repeating: line, count: CSVReader.blankLinesMax + 10)
        let reading = try Reading("location_id,location_name\nA-1,One\n\(lines)A-2,Two\n", as: .locations)
        #expect(reading.log.kept.map(\.code) == [.tooManyBlankLines])
        #expect(reading.summary == .init(rows: 1, isIncomplete: true))
    }

    @Test("line breaks at the ends of a value, and a curly quote inside straight ones, are no defects")
    func acceptsWhatIsHarmless() throws {
        let reading = try Reading("location_id,location_name\nA-1,\"One\n\"\nA-2,\"“Two”\"\n", as: .locations)
        #expect(reading.found == [])
        #expect(reading.rows.count == 2)
    }

    @Test("every defect is found in one pass, and the sound rows are handed over")
    func findsAllInOnePass() throws {
        let reading = try Reading(
            """
            location_id,location_name
            A-1,One
            A-2
            "A:3",Three
            A-4,"Four
            A-5,Five
            A-6,
            A-7,"Seven"

            """, as: .locations)
        #expect(
            reading.found == [
                "3 - wrong_cell_count", "4 location_id invalid_identifier", "5 location_name unbalanced_quote",
                "7 location_name value_missing",
            ])
        #expect(reading.rows.map { $0[0] } == ["2", "4", "6", "7", "8"])
        #expect(reading.summary == .init(rows: 5, isIncomplete: true))
    }

    @Test("a row of 10 MB is reported, not held in memory, and the rows after it are read")
    func passesOverHugeRow() throws {
        let header = "location_id,location_name\nA-1,One\n"
        let huge = "A-2," + String(repeating: "x", count: 10_000_000)
        let quoted = "A-3,\"" + String(repeating: "x,", count: 5_000_000) + "\""
        let reading = try Reading(header + huge + "\n" + quoted + "\nA-4,Four\n", as: .locations)
        #expect(reading.found == ["3 - row_too_long", "4 - row_too_long"])
        #expect(reading.rows.map { $0[1] } == ["A-1", "A-4"])
    }

    @Test("the window never holds more than the longest row and the chunk after it")
    func boundsWindow() throws {
        var largest = 0
        let stream = MemoryStream([UInt8](repeating: UInt8(ascii: "x"), count: 12_000_000))
        let probe = ProbeStream(stream) { largest = max(largest, $0) }
        var reader = CSVReader(probe)
        while try reader.next() != .end {}
        #expect(largest <= 2 << 20)
    }

    @Test("blank lines and rows of nothing but separators are passed over")
    func passesOverBlankRows() throws {
        let reading = try Reading("location_id,location_name\n\nA-1,One\n \n,\n,,,,\n\nA-2,Two\n\n", as: .locations)
        #expect(reading.found.filter { !$0.hasSuffix("space_after_separator") } == [])
        #expect(reading.rows == [["3", "A-1", "One"], ["8", "A-2", "Two"]])
    }

    @Test("values separated by semicolons are read")
    func readsSemicolons() throws {
        let reading = try Reading("location_id;location_name\nA-1;\"One, two; three\"\n", as: .locations)
        #expect(reading.found == [])
        #expect(reading.rows == [["2", "A-1", "One, two; three"]])
    }

    @Test("a hundred thousand defects of two kinds are counted exactly, and a thousand of a kind kept")
    func boundsDefects() throws {
        let rows = repeatElement("A:1,\n", count: 100_000).joined()
        let reading = try Reading("location_id,location_name\n" + rows, as: .locations)
        let counts = reading.log.counts
        #expect(counts[.init(file: "locations.csv", code: .invalidIdentifier)] == 100_000)
        #expect(counts[.init(file: "locations.csv", code: .valueMissing)] == 100_000)
        #expect(reading.log.kept.count == 2_000)
        #expect(reading.log.errorCount == 200_000)
        #expect(reading.log.omittedCount == 198_000)
    }

    @Test("the bytes of the file pass the hook once, in order")
    func showsBytes() throws {
        let text = "location_id,location_name\n" + repeatElement("A-1,\"One, two\"\n", count: 50_000).joined()
        var seen: [UInt8] = []
        try withUnsafeMutablePointer(to: &seen) { seen in
            let stream = MemoryStream(text.utf8, pieceBytes: 999)
            var reader = RosterFileReader(.locations, from: stream, defects: DefectLog()) {
                seen.pointee.append(contentsOf: $0)
            }
            _ = try reader.forEachRow { _ in }
        }
        #expect(seen == Array(text.utf8))
    }

    @Test("an error of the caller passes through and ends the reading")
    func passesErrorsThrough() throws {
        struct Stop: Error {}
        let log = DefectLog()
        var reader = RosterFileReader(
            .locations, from: MemoryStream("location_id,location_name\nA-1,One\n".utf8), defects: log)
        var thrown = false
        do { _ = try reader.forEachRow { _ in throw Stop() } } catch is Stop { thrown = true }
        #expect(thrown)
        #expect(log.kept == [])
    }
}

/// Tells how much each read asks for.
private final class ProbeStream: ByteStream {
    private let base: any ByteStream
    private let onRead: (Int) -> Void

    init(_ base: any ByteStream, onRead: @escaping (Int) -> Void) {
        self.base = base
        self.onRead = onRead
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        onRead(buffer.count)
        return try base.read(into: buffer)
    }
}
