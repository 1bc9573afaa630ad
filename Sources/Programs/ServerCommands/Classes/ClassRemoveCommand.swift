import Administration
import ArgumentParser
import CommandOutput

struct ClassRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete an archived class for good.",
        discussion: """
            The people stay; that they were in the class is gone. A class that the files of the last import have is not \
            removed. Shows first what would go. At a terminal it asks for confirmation; in a script it needs --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var rosterClass: ClassArgument
    @OptionGroup var confirmation: ConfirmationOptions

    func run() async throws {
        let removed = try await confirmation.perform(
            RemoveClass(class: rosterClass.reference), in: rosterClass.organization.reference, global, output)
        guard let removed else { return }
        try output.print(removed) { "\(removed.title) (CL-\(removed.number)) is gone." }
    }
}
