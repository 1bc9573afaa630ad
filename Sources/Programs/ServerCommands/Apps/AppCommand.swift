import ArgumentParser

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Apps that people sign in to or that ask for rosters, and the teams that make them.",
        discussion: """
            An app is named by a client id or by its exact name. With --server, members of a team look after its apps.
            """,
        subcommands: [
            TeamCommand.self, AppListCommand.self, AppShowCommand.self, AppCreateCommand.self, AppSetCommand.self,
            AppIconCommand.self,
            AppRemoveCommand.self, AppTransferCommand.self, AppOfferCommand.self, AppWithdrawCommand.self,
            AppAcceptCommand.self, AppDeclineCommand.self,
            AppClientCommand.self, AppNotificationsCommand.self, AppResendCommand.self, SenderCommand.self,
        ])
}
