import Crypto
import Foundation
import Testing
@testable import Authorization

@Suite struct AccessTokenSealerTests {
    private let sealer = AccessTokenSealer(.init(keyID: "ABCDEFGHIJ", key: SymmetricKey(data: Array(0..<64))))

    /// Made with OpenSSL and Python's hmac: AES-256 of the block, and the first 16 bytes of the HMAC-SHA-256 of that.
    private static let known = "a4237ce6fe3f10ccb3ba7eeceaa004aa9.0.abcd.eHgSKBluGzKBUIG9iJRt2w"

    @Test("a token is one block of AES and the half of its HMAC")
    func knownToken() {
        let token = AccessToken(
            grantID: GrantID(rawValue: 0x0102_0304_0506_0708), expiresAt: Date(timeIntervalSince1970: 1_800_000_000.9),
            withheld: ScopeSet([.email]))
        #expect(sealer.seal(token, salt: [0xff, 0xab, 0xcd]) == Self.known)
    }

    @Test("it opens again, and no token with another character does")
    func opening() throws {
        let token = try #require(sealer.open(Self.known))
        #expect(token.grantID.rawValue == 0x0102_0304_0506_0708)
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(token.withheld == ScopeSet([.email]))
        for index in Self.known.indices {
            let other = Self.known[index] == "0" ? "1" : "0"
            let changed = Self.known.replacingCharacters(in: index...index, with: other)
            #expect(sealer.open(changed) == nil, "\(changed)")
        }
    }

    @Test("one sealer serves many at once")
    func atOnce() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...400 {
                group.addTask { [sealer] in
                    let token = AccessToken(
                        grantID: GrantID(rawValue: Int64(number)), expiresAt: Date(timeIntervalSince1970: 1_800_000_000)
                    )
                    return sealer.open(sealer.seal(token, salt: [1, 2, 3]))?.grantID == token.grantID
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }
}
