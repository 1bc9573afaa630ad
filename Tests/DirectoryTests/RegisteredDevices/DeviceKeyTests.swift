import Crypto
import Fixtures
import Foundation
import Ground
import Testing

@testable import Directory

@Suite struct DeviceKeyTests {
    @Test func `a thumbprint is RFC 7638's: a digest of the members that the key requires`() throws {
        // The key of RFC 7517 appendix A.1; the digest is Python's hashlib's.
        let key = try TestDevice.key([
            "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "use": "enc", "kid": "1",
        ])
        #expect(key.thumbprint == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
        let again = try DeviceKey(stored: key.stored)
        #expect(again == key)
    }

    @Test func `a key that is none is refused, with what is wrong`() throws {
        let good = TestDevice().jwk
        func problem(_ changes: [String: Any]) -> String? {
            do {
                _ = try TestDevice.key((good as [String: Any]).merging(changes) { $1 }.filter { !($0.value is NSNull) })
                return nil
            } catch DeviceRefusal.invalidKey(let reason) {
                return reason
            } catch {
                return "\(error)"
            }
        }
        #expect(problem([:]) == nil)
        #expect(problem(["kty": "RSA", "n": "AQAB", "e": "AQAB"]) == "kty is “RSA”, not EC")
        #expect(problem(["kty": "OKP", "crv": "Ed25519"]) == "kty is “OKP”, not EC")
        #expect(problem(["crv": "P-384"]) == "crv is “P-384”, not P-256")
        #expect(problem(["crv": NSNull()]) == "crv is missing; it must be P-256")
        #expect(problem(["d": good["x"]!])?.contains("private half") == true)
        let offCurve = Data(repeating: 1, count: 32).base64URLEncoded
        #expect(problem(["x": offCurve, "y": offCurve]) == "x and y name no point of the curve P-256")
        let zero = Data(repeating: 0, count: 32).base64URLEncoded
        #expect(problem(["x": zero, "y": zero]) == "x and y name no point of the curve P-256")
        let over = Data(repeating: 0xff, count: 32).base64URLEncoded
        #expect(problem(["x": over])?.hasPrefix("x and y name no point") == true)
        for x in ["", "AQ", good["x"]! + "=", good["x"]! + "AA", "****"] {
            #expect(problem(["x": x]) == "x and y must be 32 bytes each, base64url without padding")
        }
    }

    @Test func `a signature holds for its message and its key alone`() throws {
        let (device, other) = (TestDevice(), TestDevice())
        let message = Data("hello".utf8)
        let signature = try device.privateKey.signature(for: message)
        #expect(try device.key().isValid(signature.rawRepresentation, of: message))
        #expect(try !device.key().isValid(signature.derRepresentation, of: message))
        #expect(try !device.key().isValid(signature.rawRepresentation, of: Data("hullo".utf8)))
        #expect(try !other.key().isValid(signature.rawRepresentation, of: message))
        #expect(try !device.key().isValid(Data(repeating: 0, count: 64), of: message))
        #expect(try !device.key().isValid(Data(), of: message))
    }

    @Test func `facts are few, short and flat`() throws {
        let facts = try JSONDecoder().decode(
            [String: DeviceFacts.Value].self, from: Data(#"{"os":"Debian 12","encrypted":true,"memory":16.5}"#.utf8))
        let stored = try DeviceFacts(facts).stored()
        #expect(stored == #"{"encrypted":true,"memory":16.5,"os":"Debian 12"}"#)
        #expect(try DeviceFacts(stored: stored).values == facts)
        #expect(try DeviceFacts([:]) == DeviceFacts.none)
        for bad: [String: DeviceFacts.Value] in [
            ["": .truth(true)], ["a b": .truth(true)], [String(repeating: "n", count: 65): .truth(true)],
            ["n": .text(String(repeating: "x", count: 257))], ["n": .text("a\0b")],
            Dictionary(uniqueKeysWithValues: (0..<33).map { ("f\($0)", .number(Double($0))) }),
        ] {
            #expect(throws: DeviceRefusal.self) { try DeviceFacts(bad) }
        }
        for nested in [#"{"a":{"b":1}}"#, #"{"a":[1]}"#, #"{"a":null}"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([String: DeviceFacts.Value].self, from: Data(nested.utf8))
            }
        }
    }
}
