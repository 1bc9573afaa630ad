import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

struct SigningKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-key",
        abstract: "The server's own keys, with which it signs identity tokens and notifications.",
        discussion: """
            There is one for RS256, which every app can read, and one for ES256, for apps of the standard profile that ask for \
            it (`lanyard app client --signing-algorithm`). A server that runs takes a new key up by itself. Apps find it at \
            /auth/keys and /oidc/keys half an hour before it signs, and the former one for a day after it signed last, so \
            that no token breaks. A key that somebody else may have is retired: within \(Int(SigningKeys.patience)) seconds no \
            server publishes or believes it any more.
            """,
        subcommands: [SigningKeyListCommand.self, SigningKeyRotateCommand.self, SigningKeyRetireCommand.self])
}

struct SigningKeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reports = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.read { SigningKeyReport.all(try SigningKeys.list(in: $0), at: now) }
        }
        try output.print(reports) {
            if reports.isEmpty { return "There is no signing key yet. `lanyard serve` makes the first when it starts." }
            return Table.text(
                ["KEY", "ALGORITHM", "STATE", "SIGNS FROM", "MADE"],
                reports.map {
                    [
                        $0.keyID, $0.algorithm, $0.state.rawValue, "\($0.signsFrom.minuteText) UTC",
                        "\($0.createdAt.minuteText) UTC",
                    ]
                })
        }
    }
}

struct SigningKeyRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make a new key for each algorithm.",
        discussion: """
            It signs in half an hour, when every app has had time to fetch it. With --now it signs at once, and all other \
            keys are retired, the planned one too. Apps keep the list for up to a quarter of an hour: until then they may \
            refuse people who sign in, and go on to believe what a retired key has signed. Whoever is signed in to an app \
            stays so.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Let it sign at once and retire all others, because somebody may have them.")
    var now = false

    @Option(help: "Only the key of this algorithm: RS256 or ES256.")
    var algorithm: SigningAlgorithm?

    func run() async throws {
        let (isUrgent, algorithms) = (now, algorithm.map { [$0] } ?? SigningAlgorithm.allCases)
        let change = try await Deployment.withExisting(global) { deployment, _ in
            let (now, surroundings) = (deployment.now, deployment.surroundings)
            var (made, retired): ([String], [String]) = ([], [])
            if isUrgent {
                (made, retired) = try await SigningKeys.replaceAll(
                    of: algorithms, in: deployment.database, under: deployment.masterKey, surroundings: surroundings,
                    by: .operator, from: .commandLine)
            } else {
                for algorithm in algorithms {
                    let keyID = try await SigningKeys.add(
                        algorithm, signingFrom: now.addingTimeInterval(SigningKeys.notice), to: deployment.database,
                        under: deployment.masterKey, surroundings: surroundings, by: .operator, origin: .commandLine)
                    made += keyID.map { [$0] } ?? []
                }
            }
            let (madeKeys, retiredKeys) = (made, retired)
            return try await deployment.database.read {
                SigningKeyChange(
                    made: madeKeys, retired: retiredKeys,
                    keys: SigningKeyReport.all(try SigningKeys.list(in: $0), at: now))
            }
        }
        try output.print(change) { change.text }
    }
}

struct SigningKeyRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire", abstract: "Take a key out of service, because somebody else may have it.",
        discussion: """
            It leaves /auth/keys and /oidc/keys, and no server believes what it has signed, within \
            \(Int(SigningKeys.patience)) seconds; apps follow when they read the list again, after a quarter of an hour at \
            most. If it is the key that signs, the one that was planned to follow signs from now on. This cannot be taken \
            back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The key, as `lanyard signing-key list` shows it.")
    var key: String

    func run() async throws {
        let keyID = key
        let change = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                _ = try SigningKeys.retire(keyID, by: .operator, from: .commandLine, at: now, in: transaction)
                return SigningKeyChange(
                    made: [], retired: [keyID],
                    keys: SigningKeyReport.all(try SigningKeys.list(in: transaction), at: now))
            }
        }
        try output.print(change) { change.text }
    }
}

/// The output of commands that change the signing keys.
private struct SigningKeyChange: Encodable, Sendable {
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
        /// No longer published: the tokens that it signed have expired, or it was retired by a command.
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
