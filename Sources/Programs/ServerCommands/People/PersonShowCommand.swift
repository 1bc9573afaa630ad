import Administration
import ArgumentParser
import CommandOutput

struct PersonShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one person.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let report = try await Deployment.administrate(global) {
            try await $0.ask(ShowPerson(person: person.reference), in: person.organization.reference)
        }
        try output.print(report) { report.text }
    }
}
