import ArgumentParser
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which extension is asked about a URL, and why.",
        discussion: """
            The broker says what counts on this device now. With --profile it is what these files say, wherever they \
            are. Exit code 1 if nobody is, 6 if there is no broker.
            """)

    @OptionGroup var output: OutputOptions

    @Argument(help: "The URL of a request.")
    var url: String

    @Option(
        help: "A profile to look into. May be repeated; of two that claim the same the first has it.",
        completion: .file())
    var profile: [String] = []

    private struct Report: Encodable {
        let url: String?
        let `extension`: String?
        let asked: String?
        let by: String?
        let explanation: String
    }

    func run() async throws {
        guard profile.isEmpty else { return try explain() }
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            let redirect = try await broker.match(url: url)
            let match = redirect.isCovered ? redirect : try await broker.match(url: url, responseCode: 401)
            try output.print(match.isCovered ? match : redirect) {
                (match.isCovered ? match : redirect).explanation
            }
            if !match.isCovered { throw ExitCode.failure }
        }
    }

    private func explain() throws {
        let profiles = try ProfileFile.readAll(profile)
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
