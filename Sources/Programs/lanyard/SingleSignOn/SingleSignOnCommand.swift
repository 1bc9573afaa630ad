import ArgumentParser

struct SingleSignOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso",
        abstract: "Single sign-on on a device: profiles that say which extension answers for which URLs and hosts.",
        subcommands: [
            ProfileCommand.self, MatchCommand.self, PairCommand.self,
            RequestCommand.self, TokenCommand.self, HeaderCommand.self, CookiesCommand.self, CurlCommand.self,
            GitCredentialCommand.self,
            ExtensionCommand.self, LogCommand.self, StatusCommand.self, DomainsCommand.self,
            NativeHostCommand.self, BrowserPolicyCommand.self, SingleSignOnDemoCommand.self,
        ])
}

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Write, check and install profiles.",
        subcommands: [
            ProfileBuildCommand.self, ProfileValidateCommand.self, ProfileInstallCommand.self, ProfileListCommand.self,
            ProfileRemoveCommand.self,
        ])
}
