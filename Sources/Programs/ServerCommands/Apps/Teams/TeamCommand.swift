import ArgumentParser

struct TeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team",
        abstract: "Teams: the organizations of app developers.",
        subcommands: [TeamListCommand.self, TeamCreateCommand.self, TeamAddMemberCommand.self])
}
