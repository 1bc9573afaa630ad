import Testing

@testable import Administration

@Suite struct RecordNumberTests {
    @Test("the number of a record is read behind the letters of its kind, and nothing else is one")
    func numbers() {
        #expect("PE-12".number(after: "PE-") == 12)
        #expect("LO:0".number(after: "LO:") == 0)
        #expect("CL-\(String(repeating: "9", count: 18))".number(after: "CL-") == 999_999_999_999_999_999)
        for text in [
            "", "PE-", "12", "pe-12", "PE12", "PE--1", "PE-+1", "PE-1 ", " PE-1", "PE-１", "PE-1a", "CL-1",
            "PE-\u{301}1",
            "PE-\(String(repeating: "1", count: 19))",
        ] {
            #expect(text.number(after: "PE-") == nil, "\(text)")
        }
    }
}
