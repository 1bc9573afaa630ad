import ArgumentParser

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Apps that people sign in to or that ask for rosters, and the teams that make them.",
        discussion: "An app is named by a client id or by its exact name.",
        subcommands: [
            TeamCommand.self, AppListCommand.self, AppShowCommand.self, AppCreateCommand.self, AppSetCommand.self,
            AppRemoveCommand.self, AppTransferCommand.self, AppClientCommand.self, SenderCommand.self,
        ])
}
