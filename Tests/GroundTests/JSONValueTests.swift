import Foundation
import Ground
import Testing

@Suite struct JSONValueTests {
    private func read(_ text: String) throws -> JSONValue { try JSONValue(reading: Data(text.utf8)) }

    @Test func `each kind of value is read as what it is, booleans and texts apart from numbers`() throws {
        let value = try read(#"{"a": [null, true, 1, "1", 1.5, {}, []], "": "ä\n"}"#)
        #expect(
            value
                == .object([
                    "a": .array([
                        .null, .boolean(true), .integer(1), .string("1"), .number(1.5), .object([:]), .array([]),
                    ]),
                    "": .string("ä\n"),
                ]))
        #expect(value.fields?[""]?.text == "ä\n")
        #expect(value.fields?["a"]?.elements?.count == 7)
        #expect(value.fields?["a"]?.texts == nil && value.text == nil && value.elements == nil)
        #expect(try read(#"["a", "b"]"#).texts == ["a", "b"])
        #expect(try read("[]").texts == [])
    }

    @Test(arguments: [
        "", "{", "{]", #"{"a": }"#, #"{"a": tru}"#, #"{"a": 01}"#, #"{"a": "\x"}"#, #"{"a": [1,,2]}"#, #"{"a" 1}"#,
        "{} {}",
        #"{"a": "\#u{1}"}"#,
    ])
    func `what is broken anywhere is no JSON`(text: String) {
        #expect(throws: (any Error).self) { try read(text) }
    }

    @Test func `what is nested very deeply is refused and crashes nothing`() {
        #expect(throws: (any Error).self) {
            try read(String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000))
        }
    }

    @Test func `what was read is written as it was`() throws {
        let text = #"{"a":[null,true,1,"1",1.5,{},[]],"b":-9223372036854775808}"#
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(try read(text)), as: UTF8.self) == text)
    }
}
