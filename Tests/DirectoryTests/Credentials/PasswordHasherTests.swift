@testable import Directory
import CArgon2
import Fixtures
import Testing

@Suite struct PasswordHasherTests {
    private func hasher(width: Int = 2, waitingMax: Int = 512) -> PasswordHasher {
        PasswordHasher(cost: .low, width: width, waitingMax: waitingMax, surroundings: FixedSurroundings().surroundings)
    }

    @Test("a password fits its own hash and no other does")
    func verifies() async throws {
        let hasher = hasher()
        let hash = try await hasher.hash("Corr3ct horse")
        #expect(hash.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        let right = try await hasher.verify("Corr3ct horse", against: hash)
        #expect(right)
        for wrong in ["", "corr3ct horse", "Corr3ct horse ", "Corr3ct horse\0", "Corr3ct"] {
            let fits = try await hasher.verify(wrong, against: hash)
            #expect(!fits)
        }
    }

    @Test("the standard cost is what OWASP asks for")
    func cost() async throws {
        let hash = try await PasswordHasher(surroundings: FixedSurroundings().surroundings).hash("x")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    @Test("two hashes of one password differ")
    func salted() async throws {
        let hasher = hasher()
        let (first, second) = (try await hasher.hash("same"), try await hasher.hash("same"))
        #expect(first != second)
    }

    @Test("a password typed on another keyboard is the same password")
    func normalized() async throws {
        let hasher = hasher()
        let hash = try await hasher.hash("Ame\u{301}lie 123")
        let fits = try await hasher.verify("Am\u{e9}lie 123", against: hash)
        #expect(fits)
    }

    @Test(
        "without a hash, or with a broken one, every password is wrong",
        arguments: [nil, "", "plain", "$argon2id$v=19$m=8,t=1,p=1$x"])
    func noHash(_ encoded: String?) async throws {
        for password in ["", "x"] {
            let fits = try await hasher().verify(password, against: encoded)
            #expect(!fits)
        }
    }

    @Test("an unknown account is compared with what has the form of a hash, which takes as long as a real one")
    func decoy() async throws {
        let hasher = hasher()
        let hash = try await hasher.hash("x")
        #expect(hasher.decoy.count == hash.count)
        #expect(!hasher.isWeak(hasher.decoy))
        let compared = argon2id_verify(hasher.decoy, [UInt8](), 0)
        #expect(compared == ARGON2_VERIFY_MISMATCH.rawValue)
    }

    @Test("when too many wait, the next one is turned away at once")
    func overloaded() async throws {
        let hasher = hasher(width: 1, waitingMax: 3)
        let outcomes = await concurrently(0..<200) { _ in (try? await hasher.hash("x")) != nil }
        #expect(outcomes.contains(true))
        #expect(outcomes.contains(false))
        let later = try await hasher.hash("x")
        #expect(!later.isEmpty)
    }
}
