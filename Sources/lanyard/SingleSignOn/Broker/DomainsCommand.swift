import ArgumentParser
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
        try await reportingSingleSignOn { try output.print(domains: try await BrokerClient().domains()) }
    }
}

struct DomainsRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Ask all domains again, now, and list what they say.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn { try output.print(domains: try await BrokerClient().refreshDomains()) }
    }
}

extension OutputOptions {
    fileprivate func print(domains: [BrokerDomain]) throws {
        try print(domains) {
            guard !domains.isEmpty else { return "No installed profile needs a domain's word." }
            return Table.text(
                ["DOMAIN", "EXTENSION", "STATE", "COUNTS", "CHECKED", "NEXT", "REASON"],
                domains.map {
                    [
                        $0.host, $0.extension, $0.state, $0.holds ? "yes" : "no", $0.checkedAt?.minuteText ?? "",
                        $0.nextCheck?.minuteText ?? "", $0.reason ?? "",
                    ]
                })
        }
    }
}
