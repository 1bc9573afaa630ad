import Directory
import Foundation
import Testing

@Suite struct CalendarDayTests {
    @Test(
        "a day that is decoded is one that there is",
        arguments: ["2026-02-28", "2028-02-29", "1900-01-01", "2999-12-31"])
    func days(_ text: String) throws {
        let day = try JSONDecoder().decode([CalendarDay].self, from: Data("[\"\(text)\"]".utf8))
        #expect(day == [CalendarDay(text)])
        #expect(try String(decoding: JSONEncoder().encode(day), as: UTF8.self) == "[\"\(text)\"]")
    }

    @Test(
        "any other text is no day",
        arguments: [
            "", "2026", "2026-02-29", "2026-13-01", "1899-12-31", "3000-01-01", "2026-1-1", "2026-01-01 ", "<b>",
        ])
    func others(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CalendarDay].self, from: Data("[\"\(text)\"]".utf8))
        }
    }
}
