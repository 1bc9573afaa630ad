import Foundation
import SeededNumbers
import Testing

@testable import RosterFiles

@Suite struct TextEncodingTests {
    private let text = "location_id,location_name\nA-1,One\nA-2,\"École Ñandú\"\n"

    @Test(
        "text in wide characters is refused by its name, with or without a byte order mark",
        arguments: [
            (String.Encoding.utf16LittleEndian, [0xFF, 0xFE], "UTF-16 (little-endian)"),
            (.utf16BigEndian, [0xFE, 0xFF], "UTF-16 (big-endian)"),
            (.utf16LittleEndian, [], "UTF-16 (little-endian)"),
            (.utf16BigEndian, [], "UTF-16 (big-endian)"),
            (.utf32LittleEndian, [0xFF, 0xFE, 0, 0], "UTF-32"),
        ] as [(String.Encoding, [UInt8], String)])
    func refusesWideCharacters(encoding: String.Encoding, mark: [UInt8], name: String) throws {
        let reading = try Reading(mark + text.data(using: encoding)!, as: .locations)
        #expect(reading.found == ["1 - wrong_encoding"])
        #expect(reading.log.kept[0].message.contains(name))
        #expect(reading.rows == [])
    }

    @Test(
        "a value that is not UTF-8 is refused by line, column and likely encoding",
        arguments: [
            ([0xC9, 0x63, 0x6F, 0x6C, 0x65], "Latin-1", "École"),
            ([0x93, 0x41, 0x94], "Windows-1252", "·A·"),
            ([0x93, 0x8C, 0x8B, 0x9E], "East Asian", "····"),  // 東京 in Shift JIS
            ([0xBC, 0xAD, 0xBF, 0xEF], "East Asian", "¼·¿ï"),  // 서울 in EUC-KR
        ] as [([UInt8], String, String)])
    func refusesOtherEncodings(value: [UInt8], encoding: String, shown: String) throws {
        let bytes = Array("location_id,location_name\nA-1,One\nA-2,".utf8) + value + Array("\nA-3,Three\n".utf8)
        let reading = try Reading(bytes, as: .locations)
        #expect(reading.found == ["3 location_name not_utf8"])
        #expect(reading.log.kept[0].message.contains(encoding))
        #expect(reading.log.kept[0].value == shown)
        #expect(reading.summary.rows == 3)
    }

    @Test("a byte order mark is passed over with a warning")
    func toleratesByteOrderMark() throws {
        let reading = try Reading("\u{FEFF}" + text, as: .locations)
        #expect(reading.found == ["1 - byte_order_mark"])
        #expect(reading.log.errorCount == 0)
        #expect(reading.rows == [["2", "A-1", "One"], ["3", "A-2", "École Ñandú"]])
    }

    @Test("well-formed UTF-8 is what the standard library says it is")
    func agreesWithStandardLibrary() {
        var random = SeededGenerator(seed: 7)
        let interesting: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
            0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for _ in 0..<200_000 {
            let bytes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                interesting.randomElement(using: &random)!
            }
            let isWellFormed = bytes.withUnsafeBufferPointer { UTF8Validation.isWellFormed($0) }
            #expect(isWellFormed == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }
}
