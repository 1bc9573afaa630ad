import ArgumentParser
import CommandOutput
import Storage

struct AppShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one app.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let selector = AppSelector(text: app)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                try AppReport(selector.find(in: transaction), in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}
