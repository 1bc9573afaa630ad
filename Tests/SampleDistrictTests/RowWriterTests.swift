import Testing

@testable import SampleDistrict

@Suite struct RowWriterTests {
    @Test(
        "a value is quoted for a space or comma, and its quotes are escaped",
        arguments: [
            ("plain", "plain"),
            ("", ""),
            ("St. Clair", #""St. Clair""#),
            ("1,5", #""1,5""#),
            (#"5"x7""#, #"5\"x7\""#),
            (#"The "Owls""#, #""The \"Owls\"""#),
            ("佐々木", "佐々木"),
        ]
    )
    func cells(_ value: String, cell: String) {
        var rows = RowWriter()
        rows.cell("first")
        rows.cell(value)
        rows.endRow()
        #expect(String(decoding: rows.bytes, as: UTF8.self) == "first,\(cell)\n")
    }

    @Test("identifiers have six digits, and more where six are too few")
    func identifiers() {
        var rows = RowWriter()
        for identifier in [Identifier.student(0), .staffMember(41), .rosterRow(999_999)] {
            rows.cell(identifier)
        }
        rows.emptyCell()
        rows.endRow()
        #expect(String(decoding: rows.bytes, as: UTF8.self) == "S-000001,T-000042,R-1000000,\n")
    }
}
