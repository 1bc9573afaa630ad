import ArgumentParser

struct DomainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain",
        abstract: "Domains of an organization, in which its user names and email addresses lie.",
        subcommands: [
            DomainListCommand.self, DomainAddCommand.self, DomainProveCommand.self, DomainVerifyCommand.self,
            DomainRemoveCommand.self,
        ])
}
