import Fixtures
import Foundation
import SeededNumbers
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct JSONWriterTests {
    private static func json(_ text: String) -> String {
        var writer = JSONWriter(capacity: 16)
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func read(_ json: String) throws -> String? {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String
    }

    @Test("every control character, the quotation mark and the backslash are escaped, and nothing else is")
    func escapes() throws {
        for value in UInt32(0)...0x2_ff {
            let text = String(UnicodeScalar(value)!)  // below the surrogates every value is a scalar
            let json = Self.json(text)
            let expected =
                switch text {
                case "\"": #""\"""#
                case "\\": #""\\""#
                case "\u{8}": #""\b""#
                case "\u{c}": #""\f""#
                case "\n": #""\n""#
                case "\r": #""\r""#
                case "\t": #""\t""#
                default:
                    value < 0x20 ? "\"\\u00\(value < 16 ? "0" : "")\(String(value, radix: 16))\"" : "\"\(text)\""
                }
            #expect(json == expected)
            #expect(try Self.read(json) == text)
        }
    }

    @Test("what stands outside of the first plane travels as it is")
    func surrogatePairs() throws {
        for text in ["😀", "𝄞", "\u{10ffff}", "👩‍👩‍👧‍👦", "日本語", "e\u{301}", "\u{2028}\u{2029}"] {
            #expect(Self.json(text) == "\"\(text)\"")
            #expect(try Self.read(Self.json(text)) == text)
        }
    }

    @Test("bytes that are not UTF-8 cannot get in: Swift has repaired them before")
    func repaired() throws {
        let text = String(decoding: [0x41, 0xed, 0xa0, 0x80, 0xff, 0x42] as [UInt8], as: UTF8.self)
        #expect(String(validating: Array(Self.json(text).utf8), as: UTF8.self) != nil)
        #expect(try Self.read(Self.json(text)) == text)
    }

    @Test("random strings are read back by Foundation as they were")
    func randomStrings() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<4_000 {
            let scalars = (0..<Int.random(in: 0...24, using: &generator)).compactMap { _ in
                // Often something that wants an escape.
                UnicodeScalar(
                    UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7f : 0x10ffff), using: &generator))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let back = try #require(try Self.read(Self.json(text)))
            #expect(Array(back.unicodeScalars) == scalars)
        }
    }

    @Test("objects and arrays nest, with commas between and none at the ends")
    func nesting() {
        var writer = JSONWriter(capacity: 16)
        writer.object { writer in
            writer.key("empty")
            writer.object { _ in }
            writer.key("list")
            writer.array([[1, 2], []]) { writer, inner in
                writer.array(inner) { $0.string("\($1)") }
            }
            writer.key("last")
            writer.bool(false)
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"empty":{},"list":[["1","2"],[]],"last":false}"#)
    }

    @Test("dates from 1900 to 2200 are those of Foundation")
    func dates() throws {
        var generator = SeededGenerator(seed: 11)
        let formatter = ISO8601DateFormatter()
        let (first, last) = (-2_208_988_800.0, 7_258_118_399.0)
        let edges = [first, last, 0, -1, -0.5, 0.999, 951_782_399, 951_782_400, 4_107_542_399, 4_107_542_400]
        for seconds in edges + (0..<20_000).map({ _ in Double.random(in: first...last, using: &generator) }) {
            var writer = JSONWriter(capacity: 32)
            writer.date(Date(timeIntervalSince1970: seconds))
            let whole = formatter.string(from: Date(timeIntervalSince1970: seconds.rounded(.down)))
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(whole)\"", "\(seconds)")
        }
    }
}
