import Fixtures
import Foundation
import Ground
import SeededNumbers
import Testing

@Suite struct CompactJWTTests {
    private struct Claims: Decodable, Equatable {
        let sub: String
    }

    private static func part(_ text: String) -> String { Data(text.utf8).base64URLEncoded }
    private static func token(_ header: String, _ payload: String = #"{"sub":"ana"}"#) -> String {
        "\(part(header)).\(part(payload)).AAEC"
    }

    private func problem(_ text: String, bytesMax: Int = 1_000) -> CompactJWT.Problem? {
        do {
            _ = try CompactJWT(text, bytesMax: bytesMax)
            return nil
        } catch { return error }
    }

    @Test("what was signed is the text as it came; the header says what matters, whatever else it has")
    func parts() throws {
        let header = #"{"typ":"JWT","alg":"ES256","b64":false,"jku":"https://evil.example","kid":"K1"}"#
        let text = Self.token(header)
        let token = try CompactJWT(text, bytesMax: text.utf8.count)
        #expect(String(decoding: token.signedBytes, as: UTF8.self) + ".AAEC" == text)
        #expect(token.signature == Data([0, 1, 2]))
        #expect(token.header.algorithm == "ES256" && token.header.keyID == "K1" && token.header.type == "JWT")
        #expect(!token.header.hasCritical)
        #expect(token.claims(Claims.self) == Claims(sub: "ana"))
        #expect(problem(text, bytesMax: text.utf8.count - 1) == .tooLong)
    }

    @Test("a header that must be understood is told, whatever it lists, and a type that is no text is one")
    func told() throws {
        for critical in ["[]", #"["b64"]"#, "null", "7"] {
            let token = try CompactJWT(Self.token(#"{"alg":"ES256","crit":\#(critical)}"#), bytesMax: 1_000)
            #expect(token.header.hasCritical, "\(critical)")
            #expect(token.header.keyID == nil && !token.header.hasType)
        }
        let token = try CompactJWT(Self.token(#"{"alg":"ES256","typ":7}"#, "[]"), bytesMax: 1_000)
        #expect(token.header.hasType && token.header.type == nil)
        #expect(token.claims(Claims.self) == nil)
    }

    @Test(
        "what is no signed JWT in compact form is refused",
        arguments: [
            "", ".", "..", "a.b", "e30.e30", "e30.e30.AA.AA", "e30.e30.A=", "e30.+/.AAEC", "e30. e30.AAEC",
            "e30.e31.AAEC",
        ])
    func notCompact(_ text: String) {
        #expect(problem(text) != nil)
        #expect(problem("\(Self.token(#"{"alg":"none"}"#)).\(text)") == .notCompact)
    }

    @Test(
        "a header is a JSON object with alg",
        arguments: ["", "[]", "{}", #"{"alg":7}"#, #"{"alg":"ES256","kid":7}"#, "\u{0}"])
    func headers(_ header: String) {
        #expect(problem(Self.token(header)) == .header)
    }

    @Test("no text brings it down, and none is taken that is not its parts")
    func fuzz() {
        var generator = SeededGenerator(seed: 17)
        let good = Array(Self.token(#"{"alg":"ES256","kid":"K1"}"#).utf8)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(ascii: "."), at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let token = try? CompactJWT(text, bytesMax: 1_000) else { continue }
            #expect(
                text == String(decoding: token.signedBytes, as: UTF8.self) + "." + token.signature.base64URLEncoded)
        }
    }
}
