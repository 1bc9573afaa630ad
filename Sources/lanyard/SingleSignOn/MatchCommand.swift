import ArgumentParser
import SingleSignOn

struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which extension is asked about a URL, and why.",
        discussion: "Exit code 1 if nobody is.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    @Argument(help: "The URL of a request.")
    var url: String

    @Option(
        help: """
            A profile to look into instead of those that are installed. May be repeated; of two that claim the same the \
            first has it.
            """,
        completion: .file())
    var profile: [String] = []

    private struct Report: Encodable {
        let url: String?
        let `extension`: String?
        let asked: String?
        let by: String?
        let explanation: String
    }

    func run() throws {
        let profiles = profile.isEmpty ? places.store.load().profiles : try ProfileFile.readAll(profile)
        let explanation = MatchIndex(profiles.flatMap(\.payloads)).explain(url)
        let report: Report =
            switch explanation.outcome {
            case .redirect(let payload, let prefix):
                Report(
                    url: explanation.compared, extension: payload.extensionIdentifier, asked: "before the request",
                    by: prefix.text, explanation: explanation.description)
            case .credential(let payload, let pattern):
                Report(
                    url: explanation.compared, extension: payload.extensionIdentifier, asked: "after a challenge",
                    by: pattern.canonical, explanation: explanation.description)
            case .none:
                Report(
                    url: explanation.compared, extension: nil, asked: nil, by: nil,
                    explanation: explanation.description)
            }
        try output.print(report) { report.explanation }
        if report.extension == nil { throw ExitCode.failure }
    }
}
