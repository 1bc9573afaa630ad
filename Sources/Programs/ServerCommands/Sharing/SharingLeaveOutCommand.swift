import Administration
import ArgumentParser
import CommandOutput

struct SharingLeaveOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave-out", abstract: "Leave single people out of all that an app sees.",
        discussion: """
            They are in no list, class, count or answer any more. They can still sign in to the app, if they may: \
            `lanyard access` decides that.

            For example:
              lanyard sharing leave-out Quizzler nadia@maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Who: user names, person ids or numbers.")
    var person: [String]

    func run() async throws {
        let change = LeaveOut(app: app.reference, people: person.map { PersonReference($0) })
        let record = try await confirmation.perform(change, in: app.organization.reference, global, output)
        guard let record else { return }
        try output.print(record) { "Changed.\n\n\(record.text)" }
    }
}

struct SharingPutBackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put-back", abstract: "Let an app see people again who were left out.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Who: user names, person ids or numbers.")
    var person: [String]

    func run() async throws {
        let change = PutBack(app: app.reference, people: person.map { PersonReference($0) })
        let record = try await confirmation.perform(change, in: app.organization.reference, global, output)
        guard let record else { return }
        try output.print(record) { "Changed.\n\n\(record.text)" }
    }
}
