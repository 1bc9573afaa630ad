import ArgumentParser
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which extension is asked about a URL, and why.",
        discussion: """
            The broker is asked, which also knows whether the extension is here and its domain has agreed. Where none runs, \
            and with options that name profiles or their places, it is looked up in the files. Exit code 1 if no profile \
            covers the URL.
            """)

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
        /// Whether the extension would be asked now; nil if no broker was there to say so.
        var covered: Bool?
        /// The socket of the broker that said so.
        var broker: String?

        init(url: String?, extension: String?, isCredential: Bool?, by: String?, explanation: String) {
            self.url = url
            self.extension = `extension`
            asked = isCredential.map { $0 ? "after a challenge" : "before the request" }
            self.by = by
            self.explanation = explanation
        }
    }

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            var report: Report
            var place: String?
            if profile.isEmpty, places.areStandard {
                do {
                    let match = try await broker.match(url: url)
                    report = Report(
                        url: match.url, extension: match.extension, isCredential: match.isCredential, by: match.entry,
                        explanation: match.explanation)
                    report.covered = match.isCovered
                    report.broker = broker.socketPath
                    place = "The broker at \(broker.socketPath) says so."
                } catch let problem as BrokerUnavailable {
                    report = try lookUp()
                    let folders = [places.store.locations.device, places.store.locations.user].compactMap(\.self)
                    place = "\(problem) This was looked up in \(folders.joined(separator: " and "))."
                }
            } else {
                report = try lookUp()
            }
            try output.print(report) { [report.explanation, place].compactMap(\.self).joined(separator: "\n") }
            if report.extension == nil { throw ExitCode.failure }
        }
    }

    /// In the files.
    private func lookUp() throws -> Report {
        let profiles = profile.isEmpty ? places.store.load().profiles : try ProfileFile.readAll(profile)
        let explanation = MatchIndex(profiles.flatMap(\.payloads)).explain(url)
        let (payload, isCredential, entry): (SingleSignOnPayload?, Bool?, String?) =
            switch explanation.outcome {
            case .redirect(let payload, let prefix): (payload, false, prefix.text)
            case .credential(let payload, let pattern): (payload, true, pattern.canonical)
            case .none: (nil, nil, nil)
            }
        return Report(
            url: explanation.compared, extension: payload?.extensionIdentifier, isCredential: isCredential, by: entry,
            explanation: explanation.description)
    }
}
