import ArgumentParser

struct OrganizationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "org",
        abstract: "Organizations, their domains and locations.",
        discussion: "`lanyard init` makes an organization.",
        subcommands: [
            OrganizationListCommand.self, OrganizationShowCommand.self, OrganizationSetCommand.self,
            DomainCommand.self, LocationCommand.self,
        ])
}
