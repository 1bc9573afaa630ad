import ArgumentParser
import CommandOutput
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Say which extension is asked about a URL, and why.",
        discussion: """
            The broker is asked, which also knows whether the extension is here and its domain has agreed. Where none runs, \
            and with options that name profiles or their places, it is looked up in the files. Exit code 4 if nobody is \
            asked.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    @Argument(help: "The URL of a request, or sso-realm:REALM, or sso-host:NAME.")
    var url: AskedURL

    @Option(
        help: """
            A profile to look into instead of those that are installed. May be repeated; of two that claim the same the \
            first has it.
            """,
        completion: .file())
    var profile: [String] = []

    private enum When: String {
        case redirect = "before the request"
        case credential = "after a challenge"
        case provider = "for operations of apps"
    }

    private struct Report: Encodable {
        /// The URL in the normalized form that was compared.
        let url: String?
        /// Whether a profile contains the URL.
        let matches: Bool
        /// Whether an extension is asked now; nil if no broker answered.
        var asksNow: Bool?
        let `extension`: String?
        /// On which occasions the extension is asked.
        let when: String?
        /// The entry of the profile that matches.
        let by: String?
        let explanation: String
        /// The socket of the broker that answered; nil if none did.
        var broker: String?

        init(url: String?, extension: String?, when: When?, by: String?, explanation: String) {
            self.url = url
            matches = `extension` != nil
            self.extension = `extension`
            self.when = when?.rawValue
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
                    let match = try await broker.match(url: url.text)
                    let when = match.isCredential.map { isCredential -> When in
                        isCredential ? .credential : match.isForOperations == true ? .provider : .redirect
                    }
                    report = Report(
                        url: match.url, extension: match.extension, when: when, by: match.entry,
                        explanation: match.explanation)
                    report.asksNow = match.isCovered
                    report.broker = broker.socketPath
                    place = "The broker at \(broker.socketPath) says so."
                } catch let problem as BrokerUnavailable {
                    report = try lookUp()
                    place = "\(problem) This was looked up in \(places.store.locations.folders)."
                }
            } else {
                report = try lookUp()
            }
            try output.print(report) { [report.explanation, place].compactMap(\.self).joined(separator: "\n") }
            guard report.asksNow ?? report.matches else { throw ExitCode.notCovered }
        }
    }

    /// Looks the URL up in the profiles' files, without a broker.
    private func lookUp() throws -> Report {
        let profiles = profile.isEmpty ? places.store.load().profiles : try ProfileFile.readAll(profile)
        let explanation = MatchIndex(profiles.flatMap(\.payloads)).explain(url.text)
        let (payload, when, entry): (SingleSignOnPayload?, When?, String?) =
            switch explanation.outcome {
            case .redirect(let payload, let prefix): (payload, .redirect, prefix.text)
            case .credential(let payload, let pattern): (payload, .credential, pattern.canonical)
            case .provider(let payload, let prefix): (payload, .provider, prefix.text)
            case .none: (nil, nil, nil)
            }
        return Report(
            url: explanation.compared, extension: payload?.extensionIdentifier, when: when, by: entry,
            explanation: explanation.description)
    }
}
