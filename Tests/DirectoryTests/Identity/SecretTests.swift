import Directory
import Fixtures
import Foundation
import Storage
import Synchronization
import Testing

@Suite struct SecretTests {
    @Test("a secret is 256 bits in URL-safe text, another one each time")
    func secrets() {
        let surroundings = FixedSurroundings().surroundings
        let secrets = (0..<1_000).map { _ in Secret(from: surroundings).text }
        #expect(secrets.allSatisfy { $0.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil })
        #expect(Set(secrets).count == 1_000)
    }

    @Test("what is stored of a secret is its SHA-256")
    func hash() {
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        guard case .blob(let bytes) = SecretHash(of: "abc").sqlValue else {
            Issue.record("a hash is stored as bytes")
            return
        }
        #expect(bytes.map { String(format: "%02x", $0) }.joined() == abc)
    }

    @Test("the machine's randomness differs from call to call")
    func system() {
        #expect(Surroundings.system.randomBytes(32).count == 32)
        #expect(Surroundings.system.randomBytes(32) != Surroundings.system.randomBytes(32))
    }

    @Test(
        "of every alphabet all characters are equally likely",
        arguments: ["A", "0123456789", "BCDFGHJKLMNPQRSTVWXZ", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"])
    func randomText(_ alphabet: String) {
        // Every byte as often as any other.
        let next = Mutex(0)
        let even = Surroundings(now: { .distantPast }) { count in
            next.withLock { next in
                (0..<count).map { _ in
                    next += 1
                    return UInt8(next % 256)
                }
            }
        }
        let rounds = 256 / alphabet.count
        let text = (0..<alphabet.count).map { _ in even.randomText(rounds, from: alphabet) }.joined()
        #expect(text.count == rounds * alphabet.count)
        #expect(alphabet.allSatisfy { character in text.count { $0 == character } == rounds })
    }

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
}
