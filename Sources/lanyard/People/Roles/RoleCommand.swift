import ArgumentParser

struct RoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Roles, which people hold at a location or at the organization itself.",
        subcommands: [RoleAddCommand.self, RoleRemoveCommand.self])
}
