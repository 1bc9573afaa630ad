import Foundation
import LanyardAPI
import Testing

@Suite struct TimestampTests {
    @Test(
        "whole seconds and nine fractional digits are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2016-07-26T18:11:51Z", 1_469_556_711),
            ("2022-12-13T19:46:46.404451216Z", 1_670_960_806.404451216),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199.5),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-03-01T00:00:00Z", 951_868_800),
        ])
    func reads(text: String, seconds: Double) throws {
        let timestamp = try #require(Timestamp(text))
        #expect(abs(timestamp.date.timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(
        "what is no time in UTC is refused",
        arguments: [
            "", "2022-12-13", "2022-12-13T19:46:46", "2022-12-13T19:46:46+01:00", "2022-12-13 19:46:46Z",
            "2022-13-13T19:46:46Z", "2023-02-29T00:00:00Z", "2022-12-13T24:00:00Z", "2022-12-13T19:46:46.Z",
            "2022-12-13T19:46:46.1234567890Z", "2022-12-13T19:46:4٣Z", "2022-12-13T19:46:46ZZ",
        ])
    func refuses(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("a time is written in whole seconds, cut off and not rounded")
    func writes() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1_670_960_806.999)).description == "2022-12-13T19:46:46Z")
        #expect(Timestamp(Date(timeIntervalSince1970: -0.5)).description == "1969-12-31T23:59:59Z")
        #expect(Timestamp(Date(timeIntervalSince1970: 1_709_164_800)).description == "2024-02-29T00:00:00Z")
    }

    @Test("a time that four digits cannot say the year of is the nearest that they can")
    func outermost() {
        for seconds in [253_402_300_799.5, 253_402_300_800, .greatestFiniteMagnitude, .infinity] {
            #expect(Timestamp(Date(timeIntervalSince1970: seconds)).description == "9999-12-31T23:59:59Z")
        }
        for seconds in [-62_167_219_200, -62_167_219_201, -.infinity, .nan] as [Double] {
            #expect(Timestamp(Date(timeIntervalSince1970: seconds)).description == "0000-01-01T00:00:00Z")
        }
    }

    @Test("every day of four centuries comes back as it was written")
    func roundTrip() {
        for day in stride(from: -60_000, to: 90_000, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661)
            #expect(Timestamp(Timestamp(date).description)?.date == date)
        }
    }

    @Test("a bad time fails the decoding and names the text")
    func decodingError() throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Location.self, from: Data(#"{"dateCreated":"yesterday"}"#.utf8))
        }
        #expect("\(try #require(error))".contains("yesterday"))
    }
}
