import ArgumentParser
import CommandOutput
import Ground
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request to an extension by hand, and show everything that it answers.",
        discussion: """
            What it shows can hold tokens. With --json the body of the response is in base64. Exit codes: 0 answered, \
            1 failed, 4 not covered or left alone, 5 cancelled, 6 no broker, 7 the person would have to be asked.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var ask: AskOptions

    @Argument(help: "The URL of a request, or sso-realm:REALM, or sso-host:NAME.")
    var url: AskedURL

    @Option(help: "login, refresh, logout, implicit or one of the extension's own; left out for a request of the web.")
    var operation: String?

    @Option(name: .customLong("header"), help: "“Name: value” of the request, or of the challenge. May be repeated.")
    var headers: [String] = []

    @Option(help: "401 or 407: the request is a challenge with the headers.")
    var responseCode = 0

    @Option(help: "Comes back from the extension.")
    var state: String?

    @Option(help: "Comes back in the identity token.")
    var nonce: String?

    func validate() throws {
        guard [0, 401, 407].contains(responseCode) else { throw ValidationError("--response-code is 401 or 407.") }
        guard headers.allSatisfy({ $0.contains(":") && !$0.hasPrefix(":") }) else {
            throw ValidationError("--header is “Name: value”.")
        }
    }

    func run() async throws {
        try await reportingSingleSignOn {
            var request = ask.request(url.text, operation: operation)
            request.responseCode = responseCode
            request.state = state
            request.nonce = nonce
            request.headers = headers.map { header in
                let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return HeaderField(String(parts[0]), parts[1].trimmingSpaces)
            }
            let signOn = SignOn(options: ask)
            let outcome = try await signOn.outcome(of: request)
            // For these reasons the profiles or extensions on this device are the cause, and the broker can explain it
            // in more detail.
            let isAbout: Set<BrokerReason> = [.notCovered, .domainNotApproved, .extensionMissing]
            let match =
                isAbout.contains(outcome.reason)
                ? try? await signOn.broker.match(url: url.text, responseCode: responseCode) : nil
            let report = Report(outcome: outcome, why: match?.isCovered == false ? match?.explanation : nil)
            try output.print(report) { Self.text(outcome, why: report.why) }
            guard outcome.isSuccess else { throw SingleSignOnFailure(outcome).code }
        }
    }

    /// The outcome as received, with `why` added.
    private struct Report: Encodable {
        let outcome: BrokerOutcome
        /// Why no extension was asked; nil if one was.
        let why: String?

        private enum Key: CodingKey { case why }

        func encode(to encoder: any Encoder) throws {
            try outcome.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(why, forKey: .why)
        }
    }

    /// Escapes line breaks, so that a value from an extension cannot add lines that look like ours.
    private static func text(_ outcome: BrokerOutcome, why: String?) -> String {
        func line(_ header: HeaderField) -> String { "\(header.name): \(header.value)".printable() }
        var lines = [
            Table.fields([
                ("outcome", outcome.outcome.rawValue), ("reason", outcome.reason.sentence), ("why", why),
                ("extension", outcome.extension), ("error", outcome.error?.description.printable()),
            ])
        ]
        var failure = outcome.error?.underlying?.failure
        while let under = failure {
            lines.append("  because of: \(under.description.printable())")
            failure = under.underlying?.failure
        }
        lines += (outcome.authorizationHeaders ?? []).map(line)
        if let response = outcome.response {
            lines += ["", "\(response.status) \(response.url)".printable()] + response.headers.map(line)
            if let body = response.body, !body.isEmpty { lines += ["", String(decoding: body, as: UTF8.self)] }
        }
        return lines.joined(separator: "\n")
    }
}
