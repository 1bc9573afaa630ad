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
