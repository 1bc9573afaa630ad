import Administration
import ArgumentParser
import CommandOutput

/// The argument for the person that a command is about.
struct PersonArgument: ParsableArguments {
    @Argument(help: "The person: user name, person id, or number.")
    var person: String

    @OptionGroup var organization: OrganizationOption

    var reference: PersonReference { PersonReference(person) }

    /// Carries out a change that is about this person, as the operator.
    /// - Returns: its answer.
    func perform<C: Change>(
        _ change: (PersonReference) -> C, _ global: GlobalOptions, tellsOfPasswords: Bool = false
    ) async throws -> C.Answer {
        try await Deployment.administrate(global, tellsOfPasswords: tellsOfPasswords) {
            try await $0.perform(change(reference), in: organization.reference).answer
        }
    }
}
