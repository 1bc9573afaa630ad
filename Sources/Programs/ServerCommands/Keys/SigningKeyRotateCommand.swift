import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

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
