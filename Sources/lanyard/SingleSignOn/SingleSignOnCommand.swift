import ArgumentParser

struct SingleSignOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso",
        abstract: "Single sign-on on a device: profiles that say which extension answers for which URLs and hosts.",
        subcommands: [ProfileCommand.self, MatchCommand.self])
}

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Write, check and install profiles.",
        subcommands: [
            ProfileBuildCommand.self, ProfileValidateCommand.self, ProfileInstallCommand.self, ProfileListCommand.self,
            ProfileRemoveCommand.self,
        ])
}
