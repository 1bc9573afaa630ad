import Administration
import ArgumentParser
import CommandOutput

struct ClassCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "class", abstract: "Classes, those of former years included.",
        discussion: "A class is named by its class id, by its exact name, or by CL- and its number.",
        subcommands: [
            ClassListCommand.self, ClassShowCommand.self, ClassAddCommand.self, ClassSetCommand.self,
            ClassArchiveCommand.self, ClassRestoreCommand.self, ClassRemoveCommand.self,
        ])
}

/// The argument for the class that a command is about.
struct ClassArgument: ParsableArguments {
    @Argument(help: "The class: its class id, its exact name, or CL- and its number.")
    var rosterClass: String

    @OptionGroup var organization: OrganizationOption

    var reference: ClassReference { ClassReference(rosterClass) }

    func perform<C: Change>(_ change: C, _ global: GlobalOptions) async throws -> C.Answer {
        try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
    }
}
