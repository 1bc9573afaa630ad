import Crypto
import Foundation
import Ground
import Testing
@testable import Authorization

@Suite struct SigningKeyTests {
    @Test("of many signatures at once each is of its own claims", arguments: SigningAlgorithm.allCases)
    func atOnce(_ algorithm: SigningAlgorithm) async throws {
        let key = try SigningKey(
            algorithm, keyID: "KEY0123456", derRepresentation: try SigningKey.make(algorithm))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let claims = Array(#"{"number":\#(number)}"#.utf8)
                    let token = try CompactJWT(try key.sign(json: claims), bytesMax: 4_096)
                    return key.hasSigned(token.signedBytes, token.signature) && Array(token.payload) == claims
                        && token.header.keyID == "KEY0123456" && token.header.algorithm == algorithm.rawValue
                }
            }
            for try await holds in group { #expect(holds) }
        }
    }

    @Test("what is no RSA key is refused")
    func noKey() throws {
        let other = Array(P256.Signing.PrivateKey().derRepresentation)
        for bytes in [[], [1, 2, 3], other, Array(other.dropLast())] {
            #expect(throws: RSASigner.Failure.self) { try RSASigner(derRepresentation: bytes) }
        }
    }
}
