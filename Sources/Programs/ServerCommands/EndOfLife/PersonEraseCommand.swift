import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct PersonEraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a person for good. Nothing takes it back.",
        discussion: """
            The name, addresses, numbers, password, sessions, devices, roles and classes go. The number of the record \
            stays, so that it never becomes another person's, and so does the audit trail, which has numbers only. Apps \
            that have data of the person are told; `lanyard erasure list` shows which have answered.

            Whoever is still in the school's files is refused: the next import would make them anew. An import that \
            names somebody who was erased is held.

            For example:
              lanyard person erase nadia@maple.example --dry-run
              lanyard person erase nadia@maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument
    @OptionGroup var confirmation: ConfirmationOptions

    func run() async throws {
        let answer = try await confirmation.perform(
            ErasePerson(person: person.reference), in: person.organization.reference, global, output)
        guard let answer else { return }
        try output.print(answer) {
            (["PE-\(answer.number) is erased:"] + answer.gone.map { "  \($0)" }
                + answer.apps.map { app in
                    app.state == .untold
                        ? """
                          \(app.name) takes no notifications: write to its makers, then run \
                        `lanyard erasure acknowledge \(answer.number) \(app.app)`
                        """ : "  \(app.name) is told"
                }
                + ["", "What stays:"] + answer.stays.map { "  \($0)" })
                .joined(separator: "\n")
        }
    }
}
