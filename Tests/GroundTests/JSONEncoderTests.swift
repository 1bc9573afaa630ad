import Foundation
import Ground
import Testing

@Suite struct JSONEncoderTests {
    private static let value = ["b/c": ["é", "\u{1b}"], "a": ["https://maple.example/"]]

    @Test("the same value is always the same bytes, with keys in order and slashes as they are")
    func stable() throws {
        let expected = #"{"a":["https://maple.example/"],"b/c":["é","\u001b"]}"#
        for _ in 1...20 {
            #expect(String(decoding: try JSONEncoder.stable.encode(Self.value), as: UTF8.self) == expected)
        }
    }

    @Test("what people read says the same in lines")
    func readable() throws {
        let text = String(decoding: try JSONEncoder.readable.encode(["b": "/", "a": "é"]), as: UTF8.self)
        #expect(text == "{\n  \"a\" : \"é\",\n  \"b\" : \"/\"\n}")
    }

    @Test("settings that one caller adds are not those of the next")
    func separate() {
        JSONEncoder.stable.dateEncodingStrategy = .iso8601
        #expect(JSONEncoder.stable !== JSONEncoder.stable)
    }
}
