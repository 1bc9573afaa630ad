import ArgumentParser

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Apps that may ask organizations for their rosters, and the teams that make them.",
        discussion: "An app is named by a client id or by its exact name.",
        subcommands: [
            TeamCommand.self, AppListCommand.self, AppShowCommand.self, AppCreateCommand.self, AppSetCommand.self,
            AppRemoveCommand.self, SenderCommand.self,
        ])
}
