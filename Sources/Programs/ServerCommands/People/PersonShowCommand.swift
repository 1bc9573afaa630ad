import ArgumentParser
import CommandOutput
import Storage

struct PersonShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one person.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    func run() async throws {
        let selector = person.selector
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try PersonReport(selector.find(in: transaction), in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}
