import CommandOutput
import Testing

@Suite("Text for a terminal")
struct TextTests {
    @Test(
        "A text takes as many columns as a terminal gives it",
        arguments: [
            ("", 0), ("Ana", 3), ("é", 1), ("e\u{301}", 1), ("山田", 4), ("한국어", 6), ("Ａ", 2), ("👩‍🏫", 2),
            ("🇯🇵", 2), ("☕️", 2), ("a\u{200D}b", 2), ("ﾔﾏ", 2),
        ])
    func width(_ text: String, columns: Int) {
        #expect(text.displayWidth == columns)
    }

    @Test("Columns line up by what is seen, not by the number of characters")
    func columns() {
        let table = Table.text(["NAME", "ROLE"], [["山田", "student"], ["Ana", "teacher"]])
        #expect(table == "NAME  ROLE\n山田  student\nAna   teacher")
    }

    @Test("A cell that is far too wide pushes its own row only")
    func wideCell() {
        let long = String(repeating: "x", count: 80)
        #expect(Table.text(["A", "B"], [[long, "1"], ["y", "2"]]) == "A  B\n\(long)  1\ny  2")
    }

    @Test("A note stands below its row, and a row without a note has none")
    func notes() {
        #expect(Table.text(["A"], [["1"], ["2"]], notes: ["why", nil]) == "A\n1\n  why\n2")
    }

    @Test("Fields without a value are left out")
    func fields() {
        #expect(Table.fields([("name", "Ana"), ("mail", nil), ("id", "7")]) == "name  Ana\nid    7")
    }

    @Test("JSON holds no character that steers a terminal, and still says the same")
    func escapedControls() {
        for value in UInt32(0x20)...0x2FF where value != 0x22 && value != 0x5C {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let escaped = String(scalar).withEscapedControls
            if (0x7F...0x9F).contains(value) {
                #expect(escaped == "\\u00\(String(value, radix: 16))")
            } else {
                #expect(escaped == String(scalar))
            }
        }
    }

    @Test("A failure cannot bring its own terminal commands")
    func failure() {
        let text = Failure("no \u{1B}[31mperson\u{7}").description
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
    }

    @Test("A page ends with the number after which the next one begins")
    func pages() {
        let (elements, next) = [3, 5, 8].page(limit: 2) { $0 }
        #expect(elements == [3, 5])
        #expect(next == 5)
        #expect([3, 5].page(limit: 2) { $0 }.next == nil)
        #expect(PageOptions.hint(5) == "\n\nThere is more: --after 5")
    }
}
