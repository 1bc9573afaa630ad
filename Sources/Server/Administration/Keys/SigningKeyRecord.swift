import Authorization
import Foundation
import Storage

/// What the operator sees of a signing key.
package struct SigningKeyRecord: Codable, Equatable, Sendable {
    package enum State: String, Codable, CaseIterable, Sendable {
        case signing
        /// Published, and will sign later.
        case next
        /// Still published, for the tokens that it has signed.
        case former
        /// No longer published, because the tokens that it signed have expired or somebody retired it.
        case retired
    }

    package let keyID: String
    package let algorithm: SigningAlgorithm
    package let state: State
    package let signsFrom: Date
    package let createdAt: Date
    /// When somebody retired it.
    package let retiredAt: Date?

    /// Sorted by algorithm, then by age with the oldest key first.
    static func all(at now: Date, in transaction: some Transaction) throws -> [SigningKeyRecord] {
        let keys = try SigningKeys.list(in: transaction)
        return SigningAlgorithm.allCases.flatMap { algorithm in row(keys.filter { $0.algorithm == algorithm }, at: now)
        }
    }

    /// - Parameter keys: all of one algorithm.
    private static func row(_ keys: [SigningKeys.Listed], at now: Date) -> [SigningKeyRecord] {
        let living = keys.filter { $0.retiredAt == nil }
        let current = living.lastIndex { $0.signsFrom <= now } ?? 0
        return keys.map { key in
            let state: State =
                if let index = living.firstIndex(where: { $0.keyID == key.keyID }) {
                    index == current
                        ? .signing
                        : index > current
                            ? .next
                            : living[index + 1].signsFrom.addingTimeInterval(SigningKeys.retention) <= now
                                ? .retired : .former
                } else {
                    .retired
                }
            return SigningKeyRecord(
                keyID: key.keyID, algorithm: key.algorithm, state: state, signsFrom: key.signsFrom,
                createdAt: key.createdAt, retiredAt: key.retiredAt)
        }
    }
}

/// The answer of changes of the signing keys.
package struct SigningKeyChange: Codable, Sendable {
    /// Empty if a key was only retired.
    package let made: [String]
    package let retired: [String]
    /// All keys after the change.
    package let keys: [SigningKeyRecord]
}
