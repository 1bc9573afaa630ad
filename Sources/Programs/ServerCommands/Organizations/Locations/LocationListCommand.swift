import Administration
import ArgumentParser
import CommandOutput

struct LocationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the locations.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var page: PageOptions

    @Flag(help: "List the removed locations.")
    var removed = false

    @Option(help: "Only those with each of these words in the name, the location id or the domain.")
    var text: String?

    func run() async throws {
        let list = ListLocations(removed: removed, text: text, after: Int64(page.after), limit: page.limit)
        let answer = try await Deployment.administrate(global) { try await $0.ask(list, in: organization.reference) }
        try output.print(answer) {
            if answer.locations.isEmpty {
                guard text == nil else { return "No location matches." }
                return
                    "There is no \(removed ? "removed " : "")location\(page.after > 0 ? " after \(page.after)" : " yet")."
            }
            return Table.text(
                LocationRecord.head + (removed ? ["REMOVED (UTC)"] : []),
                answer.locations.map { $0.row + ($0.removedAt.map { [$0.minuteText] } ?? []) })
                + PageOptions.hint(answer.next.map(Int.init))
        }
    }
}
