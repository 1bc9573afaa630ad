import ArgumentParser

struct OrganizationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "org",
        abstract: "Organizations, their domains and locations.",
        discussion: """
            `lanyard init` makes an organization. One that leaves is handed over with `hand-over`, then closed.
            """,
        subcommands: [
            OrganizationListCommand.self, OrganizationShowCommand.self, OrganizationSetCommand.self,
            OrganizationPictureCommand.self,
            OrganizationHandOverCommand.self, OrganizationCloseCommand.self, OrganizationReopenCommand.self,
            OrganizationRoleCommand.self, DomainCommand.self, RealmCommand.self, LocationCommand.self,
        ])
}
