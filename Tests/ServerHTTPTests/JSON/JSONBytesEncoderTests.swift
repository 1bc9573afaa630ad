import Administration
import Fixtures
import Foundation
import Ground
import SeededNumbers
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct JSONBytesEncoderTests {
    private static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try JSONBytesEncoder.encode(value), as: UTF8.self)
    }

    private static func foundation(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder.administration.encode(value), as: UTF8.self)
    }

    // MARK: The same bytes as Foundation

    @Test("random values are encoded to the same bytes as Foundation encodes them to")
    func randomValues() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<3_000 {
            let value = JSONValue.random(depth: 4, using: &generator)
            #expect(try Self.encode(value) == Self.foundation(value))
        }
    }

    private struct Everything: Encodable {
        enum Kind: String, Encodable { case small = "s/m" }
        enum Choice: Encodable { case none, one(Int), both(first: String, second: [Bool]) }

        var zeta = "é\u{1}\"\\/\u{2028}"
        var alpha: String?
        var choices: [Choice] = [.none, .one(-4), .both(first: "", second: [true, false])]
        var integers: [UInt64] = [0, .max]
        var small: [Int8] = [.min, .max]
        var doubles = [0, -0.0, 1, -1.5, 1e21, 1e-7, 123_456_789.125, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        var floats: [Float] = [1, 0.1, 1e20]
        var kind = Kind.small
        var nothing: [Int?] = [nil, 3, nil]
        var data = Data([0, 0xff, 0xfe])
        var url = URL(string: "https://maple.example/a?b=c")!
        var identifier = UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!
        var byNumber = [10: "ten", 9: "nine"]
        var byText: [String: [String: Int]] = ["b": [:], "a": ["y": 1, "x": 2], "": ["": 0]]
        var empty: [String] = []
        var nested: [[[Int]]] = [[], [[1], []]]
    }

    @Test("each kind of value is encoded to the same bytes as Foundation encodes it to")
    func everyKind() throws {
        #expect(try Self.encode(Everything()) == Self.foundation(Everything()))
        #expect(try Self.encode([Everything(), Everything()]) == Self.foundation([Everything(), Everything()]))
        #expect(try Self.encode("text") == #""text""#)
        #expect(try Self.encode(nil as Int?) == "null")
        #expect(try Self.encode([Int]()) == "[]")
        #expect(try Self.encode([String: Int]()) == "{}")
    }

    @Test("random times are encoded as Foundation does it")
    func times() throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<2_000 {
            let date = Date(timeIntervalSince1970: .random(in: -2e9...5e9, using: &generator))
            #expect(try Self.encode([date]) == Self.foundation([date]))
        }
        for second in [0.0, -1, 951_782_400, 951_868_799, 1e9 + 0.999_9] {
            let date = Date(timeIntervalSince1970: second)
            #expect(try Self.encode([date]) == Self.foundation([date]))
        }
    }

    // MARK: Values that encode themselves in their own way

    private struct Twice: Encodable {
        let first: [String: Int]
        let second: [String: Int]

        func encode(to encoder: any Encoder) throws {
            try first.encode(to: encoder)
            try second.encode(to: encoder)
        }
    }

    @Test(
        "a time that four digits cannot say the year of is the nearest that they can",
        arguments: [
            (253_402_300_799.5, "9999-12-31T23:59:59Z"), (253_402_300_800, "9999-12-31T23:59:59Z"),
            (.greatestFiniteMagnitude, "9999-12-31T23:59:59Z"), (.infinity, "9999-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (-62_167_219_201, "0000-01-01T00:00:00Z"),
            (-.infinity, "0000-01-01T00:00:00Z"), (.nan, "0000-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func outermostTimes(_ seconds: Double, _ text: String) throws {
        #expect(try Self.encode(Date(timeIntervalSince1970: seconds)) == "\"\(text)\"")
    }

    @Test("two parts of one object are joined, and of two members with one key the last one counts")
    func joined() throws {
        let value = Twice(first: ["d": 1, "b": 2], second: ["c": 3, "a": 4])
        #expect(try Self.encode(["x": value]) == #"{"x":{"a":4,"b":2,"c":3,"d":1}}"#)
        #expect(try Self.encode(Twice(first: ["a": 1, "b": 2], second: ["a": 3])) == #"{"a":3,"b":2}"#)
    }

    private struct Silent: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    @Test("what encodes nothing is an empty object inside of another value, and an error alone")
    func silent() throws {
        #expect(try Self.encode([Silent()]) == "[{}]")
        #expect(try Self.encode(["a": Silent()]) == Self.foundation(["a": Silent()]))
        #expect(throws: EncodingError.self) { try Self.encode(Silent()) }
    }

    private struct Interleaved: Encodable {
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.unkeyedContainer()
            var inner = outer.nestedUnkeyedContainer()
            try outer.encode(1)
            try inner.encode(2)
        }
    }

    private class Base: Encodable {
        let one = 1
    }

    private final class Derived: Base {
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try super.encode(to: container.superEncoder())
        }
    }

    private struct Both: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            try ["a": 1].encode(to: encoder)
        }
    }

    @Test("what cannot be written in one go is an error, and no broken JSON")
    func misuse() {
        #expect(throws: EncodingError.self) { try Self.encode(Interleaved()) }
        #expect(throws: EncodingError.self) { try Self.encode(Derived()) }
        #expect(throws: EncodingError.self) { try Self.encode(Both()) }
    }

    @Test("JSON has no infinite numbers", arguments: [Double.nan, .infinity, -.infinity])
    func infinite(_ number: Double) {
        #expect(throws: EncodingError.self) { try Self.encode([number]) }
        #expect(throws: EncodingError.self) { try Self.encode([Float(number)]) }
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        func text(of scalars: ClosedRange<UInt32> = 0...0x7f) -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
                        UnicodeScalar(UInt32.random(in: scalars, using: &generator))
                    }))
        }
        switch Int.random(in: 0...(depth == 0 ? 4 : 8), using: &generator) {
        case 0: return .null
        case 1: return .boolean(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .number(.random(in: -1e9...1e9, using: &generator))
        case 4: return .string(text())
        case 5, 6:
            return .array(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in .random(depth: depth - 1, using: &generator) }
            )
        default:
            let fields = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                // Keys that need escaping are in order too, but in another one than Foundation's.
                (text(of: 0x23...0x5b), JSONValue.random(depth: depth - 1, using: &generator))
            }
            return .object(Dictionary(fields) { $1 })
        }
    }
}
