import CArgon2
import Foundation
import Ground

/// Argon2id on threads of its own, few enough that a burst of sign-ins neither blocks the event loops nor exhausts
/// memory: each hash takes 19 MiB while it runs. Requesters share them fairly: see ``FairQueue``.
package final class PasswordHasher: Sendable {
    package struct Cost: Sendable {
        let kibibytes: UInt32
        let passes: UInt32

        /// 19 MiB, two passes: OWASP's minimum for Argon2id.
        package static let standard = Cost(kibibytes: 19 * 1_024, passes: 2)
        /// For tests, which hash thousands of passwords.
        package static let low = Cost(kibibytes: 8, passes: 1)
    }

    /// Too many sign-ins wait already; one more would only time out.
    package struct Overloaded: Error {
        package init() {}
    }

    private let cost: Cost
    private let surroundings: Surroundings
    let queue: FairQueue
    /// How many hashes are computed at a time.
    package let width: Int
    /// What is compared with when the account is unknown, so that the answer takes as long: it has the form of a hash of
    /// this cost, and is none of any password, as nothing was computed for it.
    let decoy: String

    /// - Parameters:
    ///   - width: how many hashes may be computed at a time.
    ///   - waitingMax: how many more may wait before ``Overloaded`` is thrown; half of them for one requester.
    package init(
        cost: Cost = .standard, width: Int = defaultWidth, waitingMax: Int = 1_024,
        surroundings: Surroundings = .system
    ) {
        self.cost = cost
        self.surroundings = surroundings
        self.width = width
        queue = FairQueue(width: width, waitingMax: waitingMax)
        // 16 and 32 zeros in Base64.
        let (salt, hash) = (String(repeating: "A", count: 22), String(repeating: "A", count: 43))
        decoy = "$argon2id$v=19$m=\(cost.kibibytes),t=\(cost.passes),p=1$\(salt)$\(hash)"
    }

    /// Half of the cores, so that a burst leaves the others to everybody else; 152 MiB at most.
    package static let defaultWidth = max(1, min(8, ProcessInfo.processInfo.activeProcessorCount / 2))

    /// All cores, 8 at most, for a program that does nothing else meanwhile.
    package static let everyCore = max(1, min(8, ProcessInfo.processInfo.activeProcessorCount))

    /// The encoded form: `$argon2id$v=19$m=…,t=…,p=1$salt$hash`.
    package func hash(_ password: String, for requester: HashRequester = .server) async throws -> String {
        let salt = surroundings.randomBytes(16)
        let cost = cost
        return try await queue.run(for: requester) { Self.hash(password, salt: salt, cost: cost) }
    }

    /// Whether the password matches the encoded hash. With nil it takes as long and returns false.
    package func verify(
        _ password: String, against encoded: String?, for requester: HashRequester = .server
    ) async throws -> Bool {
        let comparand = encoded ?? decoy
        // No stored password is this long. Normalizing it could take seconds, so an empty one is compared in its place.
        let isTooLong = password.utf8.count > PasswordPolicy.bytesMax
        let matches = try await queue.run(for: requester) {
            let bytes = isTooLong ? [] : Array(Self.normalized(password).utf8)
            return argon2id_verify(comparand, bytes, bytes.count) == ARGON2_OK.rawValue
        }
        return matches && encoded != nil && !isTooLong
    }

    /// Whether the hash was made with lower cost than the present one, or by another algorithm.
    func isWeak(_ encoded: String) -> Bool {
        guard let match = encoded.wholeMatch(of: /\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$.*/),
            let kibibytes = UInt32(match.1), let passes = UInt32(match.2)
        else { return true }
        return kibibytes < cost.kibibytes || passes < cost.passes
    }

    /// Unicode normalization form C (RFC 8265), so that a password gives the same bytes whichever keyboard it is typed
    /// on.
    private static func normalized(_ password: String) -> String { password.precomposedStringWithCanonicalMapping }

    private static func hash(_ password: String, salt: [UInt8], cost: Cost) -> String {
        let bytes = Array(normalized(password).utf8)
        var encoded = [CChar](repeating: 0, count: 256)
        let result = argon2id_hash_encoded(
            cost.passes, cost.kibibytes, 1, bytes, bytes.count, salt, salt.count, 32, &encoded, encoded.count)
        precondition(result == ARGON2_OK.rawValue, "Argon2 refused constant parameters or found no memory")
        return String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
