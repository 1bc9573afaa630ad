import Fixtures
import Foundation
import Ground
import Testing

@Suite struct BytesAsTextTests {
    @Test("base64url comes back as it went in, whatever the length")
    func roundTrip() {
        let surroundings = FixedSurroundings().surroundings
        for count in 0..<200 {
            let bytes = Data(surroundings.randomBytes(count))
            let text = bytes.base64URLEncoded
            #expect(!text.contains { "+/=".contains($0) })
            #expect(Data(base64URLEncoded: text) == bytes)
        }
    }

    @Test(
        "base64url is Base64 with the other alphabet and without padding, as a text of its own and behind another one")
    func asFoundation() {
        let surroundings = FixedSurroundings().surroundings
        for count in 0..<300 {
            let bytes = surroundings.randomBytes(count)
            let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(bytes.base64URLEncoded == text && Data(bytes).base64URLEncoded == text)
            var token = Array("a.".utf8)
            token.append(base64URL: bytes)
            #expect(token == Array("a.\(text)".utf8))
        }
    }

    @Test("of all short texts, base64url takes those that it would write itself")
    func canonical() {
        let characters = Array("AQgwBCZz09-_+/=. é".utf8)
        for first in characters {
            for second in characters {
                for third in characters {
                    for text in [[first], [first, second], [first, second, third], [0x41, first, second, third]] {
                        let text = String(decoding: text, as: UTF8.self)
                        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
                        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
                        let bytes = Data(base64Encoded: padded).flatMap { $0.base64URLEncoded == text ? $0 : nil }
                        #expect(Data(base64URLEncoded: text) == bytes, "\(text)")
                    }
                }
            }
        }
    }

    @Test(
        "other spellings of base64url are refused",
        arguments: ["A", "AA==", "AA=", "-_8=", "+/8", "A A", "AA\n", "AB", "AAB", "A\u{e9}", "AA\0"])
    func otherSpellings(_ text: String) {
        #expect(Data(base64URLEncoded: text) == nil)
    }

    @Test("hexadecimal comes back as it went in, whatever the length, and in capitals")
    func hexadecimalRoundTrip() {
        let surroundings = FixedSurroundings().surroundings
        for count in 0..<200 {
            let bytes = surroundings.randomBytes(count)
            let text = bytes.hexadecimal
            #expect(text.utf8.count == 2 * count && text == text.lowercased())
            #expect([UInt8](hexadecimal: text.utf8) == bytes)
            #expect([UInt8](hexadecimal: text.uppercased().utf8) == bytes)
        }
    }

    @Test("what is not hexadecimal is refused", arguments: ["0", "000", "0g", "+1", "-1", " 1", "1\n", "0x", "é"])
    func noHexadecimal(_ text: String) {
        #expect([UInt8](hexadecimal: text.utf8) == nil)
    }
}
