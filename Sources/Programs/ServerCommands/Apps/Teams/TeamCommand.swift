import ArgumentParser

struct TeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team",
        abstract: "Teams: the organizations of app developers.",
        subcommands: [
            TeamListCommand.self, TeamShowCommand.self, TeamCreateCommand.self, TeamRenameCommand.self,
            TeamRemoveCommand.self, TeamAddMemberCommand.self, TeamRemoveMemberCommand.self, TeamInviteCommand.self,
            TeamUninviteCommand.self, TeamJoinCommand.self, TeamChangesCommand.self, TeamSandboxCommand.self,
        ])
}
