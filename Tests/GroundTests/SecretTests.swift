import Fixtures
import Foundation
import Ground
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
        let hash = SecretHash(of: "abc")
        #expect(hash.bytes.hexadecimal == abc)
        #expect(SecretHash(stored: hash.bytes) == hash)
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
}
