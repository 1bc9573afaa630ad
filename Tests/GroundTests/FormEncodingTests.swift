import Fixtures
import Foundation
import Ground
import SeededNumbers
import Testing

@Suite struct FormEncodingTests {
    private static func pairs(_ text: String) -> [[String]]? {
        FormEncoding.decode(text).map { $0.map { [$0.name, $0.value] } }
    }

    @Test("pairs come in order, with plus, escapes, empty values and duplicates")
    func decoding() {
        #expect(Self.pairs("") == [])
        #expect(Self.pairs("&&") == [])
        #expect(Self.pairs("a=1&a=2&b") == [["a", "1"], ["a", "2"], ["b", ""]])
        #expect(Self.pairs("a+b=c+d%2B%26%3d&=x&y==z") == [["a b", "c d+&="], ["", "x"], ["y", "=z"]])
        #expect(Self.pairs("%E2%82%ac=€") == [["€", "€"]])
    }

    @Test(
        "broken escapes and bytes that are no UTF-8 are refused",
        arguments: ["a=%", "a=%4", "a=%zz", "%=1", "a=%ff", "a=%c3%28", "a=%ED%A0%80", "a=% 1", "a=%+1"])
    func refusals(_ text: String) {
        #expect(FormEncoding.decode(text) == nil)
        #expect(FormEncoding.decodePathSegment(text) == nil)
    }

    @Test("in a path a plus is a plus")
    func pathSegments() {
        #expect(FormEncoding.decodePathSegment("LO%3A12+3") == "LO:12+3")
        #expect(FormEncoding.decodePathSegment("a%2Fb%20c") == "a/b c")
        #expect(FormEncoding.decodePathSegment("") == "")
    }

    @Test("fields are written as browsers and RFC 3986 agree on")
    func encoding() {
        let fields = [FormField("a b", "ü&=+%"), FormField("", ""), FormField("c", "~-._")]
        #expect(FormEncoding.encode(fields) == "a%20b=%C3%BC%26%3D%2B%25&=&c=~-._")
    }

    @Test("a browser takes an escape that is none for itself")
    func asBrowsersDo() {
        #expect(
            FormEncoding.decodeAsBrowsersDo("a=%+5&b=%-5&c=%4&d=%&e=%zz&f=%4A&g+h&=%ff") == [
                FormField("a", "% 5"), FormField("b", "%-5"), FormField("c", "%4"), FormField("d", "%"),
                FormField("e", "%zz"), FormField("f", "J"), FormField("g h", ""), FormField("", "\u{fffd}"),
            ])
    }

    @Test("an ampersand ends a field, whatever stands behind it")
    func combiningMarks() {
        #expect(FormEncoding.decode("a=1&\u{301}b=2") == [FormField("a", "1"), FormField("\u{301}b", "2")])
        #expect(
            FormEncoding.decodeAsBrowsersDo("a=\u{301}1&\u{301}") == [
                FormField("a", "\u{301}1"), FormField("\u{301}", ""),
            ])
    }

    @Test("random fields come back as they were")
    func roundTrip() {
        var generator = SeededGenerator(seed: 3)
        func text() -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                        UnicodeScalar(
                            UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7f : 0x10ffff), using: &generator)
                        )
                    }))
        }
        for _ in 0..<2_000 {
            let fields = (0..<Int.random(in: 1...5, using: &generator)).map { _ in FormField(text(), text()) }
            let encoded = FormEncoding.encode(fields)
            #expect(FormEncoding.decode(encoded) == fields)
            #expect(FormEncoding.decodeAsBrowsersDo(encoded) == fields)
        }
    }

    /// The fields as a reader finds them that takes the text apart first and looks at escapes then.
    private static func fieldByField(_ text: String) -> [FormField]? {
        func unescape(_ text: some Collection<UInt8>) -> String? {
            var bytes: [UInt8] = []
            var rest = Array(text)[...]
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
                case UInt8(ascii: "%"):
                    guard rest.count >= 2, let value = [UInt8](hexadecimal: rest.prefix(2)) else { return nil }
                    bytes += value
                    rest = rest.dropFirst(2)
                default: bytes.append(byte)
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }
        var fields: [FormField] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = unescape(pair[..<end]), let value = unescape(pair[end...].dropFirst()) else { return nil }
            fields.append(FormField(name, value))
        }
        return fields
    }

    @Test("fields are found in one pass as they would be one by one")
    func onePass() {
        var generator = SeededGenerator(seed: 7)
        let pieces = ["&", "=", "%", "+", "%41", "%c3%a9", "%C3", "a", "é", "0", "%2", "\0"]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }.joined()
            #expect(FormEncoding.decode(text) == Self.fieldByField(text), "\(text)")
        }
    }

    @Test("no bytes at all bring it down")
    func fuzz() {
        var generator = SeededGenerator(seed: 5)
        let favourites = Array("%%%%&&==++09afAFgz".utf8)
        var accepted = 0
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...32, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? favourites.randomElement(using: &generator)! : UInt8.random(in: 0...255, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if FormEncoding.decode(text) != nil { accepted += 1 }
            _ = FormEncoding.decodePathSegment(text)
            _ = FormEncoding.decodeAsBrowsersDo(text)
        }
        #expect(accepted > 0)
    }
}
