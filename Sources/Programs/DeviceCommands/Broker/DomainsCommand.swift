import ArgumentParser
import CommandOutput
import SingleSignOnClient
import SingleSignOnWire

struct DomainsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "See which domains have agreed to their extensions, and why others have not.",
        subcommands: [DomainsListCommand.self, DomainsRefreshCommand.self], defaultSubcommand: DomainsListCommand.self)
}

struct DomainsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List what is known.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            try output.print(domains: try await broker.domains(), profiles: try await broker.status().profiles)
        }
    }
}

struct DomainsRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Ask all domains again, now, and list what they say.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            let domains = try await broker.refreshDomains()
            try output.print(domains: domains, profiles: try await broker.status().profiles, hasAsked: true)
        }
    }
}

extension OutputOptions {
    /// - Parameters:
    ///   - profiles: the installed profiles. Those that are not in effect, or whose extension is missing, claim no
    ///     domain.
    ///   - hasAsked: whether the domains were fetched again for this.
    fileprivate func print(
        domains: [BrokerDomain], profiles: [BrokerStatus.InstalledProfile], hasAsked: Bool = false
    ) throws {
        try print(domains) {
            let problems = profiles.compactMap { profile in
                profile.problem.map { "  \(profile.source)\n    \($0.withoutPath(profile.source))" }
            }
            let table =
                domains.isEmpty
                ? nil
                : Table.text(
                    ["DOMAIN", "EXTENSION", "STATE", "COUNTS", "CHECKED (UTC)", "NEXT (UTC)"],
                    domains.map {
                        [
                            $0.host, $0.extension, $0.state, $0.holds ? "yes" : "no", $0.checkedAt?.minuteText ?? "",
                            $0.nextCheck?.minuteText ?? "",
                        ]
                    }, notes: domains.map(\.note))
            let hint =
                hasAsked || !domains.contains { $0.associationFile != nil && $0.note != nil }
                ? nil : "`lanyard-sso domains refresh` asks now."
            let others =
                problems.isEmpty
                ? nil : (["For these profiles no domain is asked:"] + problems).joined(separator: "\n")
            let parts = [table, hint, others].compactMap(\.self)
            return parts.isEmpty ? "No installed profile needs a domain's word." : parts.joined(separator: "\n\n")
        }
    }
}

extension BrokerDomain {
    /// What is wrong, and the URL that was fetched; nil if nothing is wrong.
    fileprivate var note: String? {
        let lines = [reason, reason == nil && holds ? nil : associationFile].compactMap(\.self)
        return lines.isEmpty ? nil : lines.joined(separator: "\n  ")
    }
}
