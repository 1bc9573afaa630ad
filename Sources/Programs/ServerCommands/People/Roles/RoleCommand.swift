import Administration
import ArgumentParser
import Directory

struct RoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Roles, which people hold at a location or at the organization itself.",
        subcommands: [RoleAddCommand.self, RoleRemoveCommand.self])
}

/// The arguments for a role and the location where it is held.
struct HeldRoleArguments: ParsableArguments {
    @Argument(help: "The role.")
    var role: Role

    @Option(help: "Where it is held: a location's id or name. [default: the organization itself]")
    var at: String?

    var place: LocationReference? { at.map(LocationReference.init) }
}
