import Administration
import ArgumentParser
import CommandOutput

struct PersonRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a person another user name.",
        discussion: """
            Password, sessions and all that apps keep of the person stay. Nobody else gets the former name for 90 \
            days, or as many as --keep-days says. Whoever signs in with it in that time and knows the password is told \
            the new one; commands find the person by it.

            For example:
              lanyard person rename ana.nunez@maple.example ana.vega@maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Argument(help: "The new user name.")
    var userName: String

    @Option(help: "For how many days nobody else gets the former name; 0: anybody can have it at once. [default: 90]")
    var keepDays: Int?

    func run() async throws {
        let report = try await person.perform(
            { RenamePerson(person: $0, userName: userName, keepDays: keepDays) }, global)
        try output.print(report) {
            "\(report.fullName) signs in as \(report.userName) from now on.\n\n\(report.text)"
        }
    }
}
