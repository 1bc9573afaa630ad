import Administration
import ArgumentParser
import CommandOutput

struct AppShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one app.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    func run() async throws {
        let record = try await Deployment.administrate(global) { try await $0.ask(ShowApp(app: AppReference(app))) }
        try output.print(record) { record.text }
    }
}
