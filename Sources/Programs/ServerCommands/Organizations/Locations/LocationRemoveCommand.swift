import Administration
import ArgumentParser
import CommandOutput
import Directory

struct LocationRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a location from apps and lists, once nothing is there any more.",
        discussion: """
            A location where people hold roles, with classes, an open term or a pick-up is not removed: `lanyard org location \
            show` says what is there. Sharing rules that name it go on to name it, and nothing else. It stays in `lanyard org \
            location list --removed`, and `lanyard org location restore` brings it back. So does, in a school, an import of \
            the whole organization whose files name it; in a business, files that name it have an error in that cell. Shows \
            first what would change. At a terminal it asks for confirmation; in a script it needs --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The location: its id, its name, or LO: and its number.")
    var location: String

    func run() async throws {
        let removed = try await confirmation.perform(
            RemoveLocation(location: LocationReference(location)), in: organization.reference, global, output)
        guard let removed else { return }
        try output.print(removed) {
            "\(removed.name) (\(removed.id)) is removed; `lanyard org location restore \(removed.id)` brings it back."
                + (removed.source == .csv
                    ? "\nIt came from files: the next import of the whole organization brings it back, unless it is taken out there."
                    : "")
        }
    }
}

struct LocationRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring a removed location back, as it was.",
        discussion: """
            In a school, the next import of the whole organization archives one again that came from its files and is not in \
            them any more.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The location: its id, its name, or LO: and its number.")
    var location: String

    func run() async throws {
        let change = RestoreLocation(location: LocationReference(location))
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) { "\(record.name) (\(record.id)) is back." }
    }
}
