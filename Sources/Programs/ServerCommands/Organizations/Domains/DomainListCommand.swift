import Administration
import ArgumentParser
import CommandOutput

struct DomainListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the domains.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListDomains(), in: organization.reference)
        }
        try output.print(answer) {
            if answer.domains.isEmpty { return "There is no domain yet." }
            let table = Table.text(
                ["NAME", "VERIFIED (UTC)"], answer.domains.map { [$0.name, $0.verifiedAt?.minuteText ?? "no"] })
            let records = answer.domains.compactMap(\.record)
            guard !records.isEmpty else { return table }
            return """
                \(table)

                A domain is verified once its zone has the TXT record, with `lanyard org domain prove`:
                \(records.map { "\($0.name). IN TXT \"\($0.value)\"" }.joined(separator: "\n"))
                """
        }
    }
}
