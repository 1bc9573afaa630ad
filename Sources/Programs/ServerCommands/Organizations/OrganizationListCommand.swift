import Administration
import ArgumentParser
import CommandOutput

struct OrganizationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the organizations.",
        discussion: "With --server, the one that you are signed in to.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Show the school behind the test scope too.")
    var testSchool = false

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListOrganizations(testSchool: testSchool ? true : nil))
        }
        try output.print(answer) {
            if answer.organizations.isEmpty {
                return "There is no organization yet. Make one with `lanyard init --name …`."
            }
            return Table.text(OrganizationRecord.head, answer.organizations.map(\.row))
        }
    }
}
