import Authorization
import CommandOutput
import Foundation

/// The output of commands that change the signing keys.
struct SigningKeyChange: Encodable, Sendable {
    /// Empty if a key was only retired.
    let made: [String]
    let retired: [String]
    /// All keys after the change.
    let keys: [SigningKeyReport]

    var text: String {
        var lines: [String] = []
        for new in keys where made.contains(new.keyID) {
            lines.append("Made \(new.keyID) (\(new.algorithm)), which signs from \(new.signsFrom.minuteText) UTC.")
        }
        if !retired.isEmpty {
            lines.append("Retired: \(retired.joined(separator: ", ")). Servers that run know within seconds.")
        }
        for signing in keys where made.isEmpty && signing.state == .signing {
            lines.append("\(signing.keyID) signs with \(signing.algorithm).")
        }
        return lines.joined(separator: "\n")
    }
}

/// The output of commands about a signing key.
struct SigningKeyReport: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        case signing
        /// Published, and will sign later.
        case next
        /// Still published, for the tokens that it has signed.
        case former
        /// No longer published, because the tokens that it signed have expired or a command retired it.
        case retired
    }

    let keyID: String
    let algorithm: String
    let state: State
    let signsFrom: Date
    let createdAt: Date
    /// When it was retired by a command.
    let retiredAt: Date?

    /// Sorted by algorithm, then by age with the oldest key first.
    static func all(_ keys: [SigningKeys.Listed], at now: Date) -> [SigningKeyReport] {
        SigningAlgorithm.allCases.flatMap { algorithm in row(keys.filter { $0.algorithm == algorithm }, at: now) }
    }

    /// - Parameter keys: all of one algorithm.
    private static func row(_ keys: [SigningKeys.Listed], at now: Date) -> [SigningKeyReport] {
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
            return SigningKeyReport(
                keyID: key.keyID, algorithm: key.algorithm.rawValue, state: state, signsFrom: key.signsFrom,
                createdAt: key.createdAt, retiredAt: key.retiredAt)
        }
    }
}
