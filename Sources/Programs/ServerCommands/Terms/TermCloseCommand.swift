import Administration
import ArgumentParser
import CommandOutput

struct TermCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "End a term: its classes are archived.",
        discussion: """
            The classes keep their members, and `lanyard term reopen` gives them back. Shows first which classes go, \
            school by school. At a terminal it asks for confirmation; in a script it needs --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var term: TermArgument
    @OptionGroup var confirmation: ConfirmationOptions

    func run() async throws {
        let closed = try await confirmation.perform(
            CloseTerm(term: term.reference), in: term.organization.reference, global, output)
        guard let closed else { return }
        try output.print(closed) { "\(closed.name) is closed, and apps do not see its classes any more." }
    }
}

struct TermReopenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Open a closed term again, with the classes that were archived with it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var term: TermArgument

    func run() async throws {
        let change = ReopenTerm(term: term.reference)
        let opened = try await Deployment.administrate(global) {
            try await $0.perform(change, in: term.organization.reference).answer
        }
        try output.print(opened) {
            "\(opened.name) is open again, with \(opened.classes) \(opened.classes == 1 ? "class" : "classes")."
        }
    }
}
