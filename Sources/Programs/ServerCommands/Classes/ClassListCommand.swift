import Administration
import ArgumentParser
import CommandOutput

struct ClassListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the classes that apps see, or the archived ones.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "List the archived classes.")
    var archived = false

    @Option(help: "Only those of this location: its id, its name, or LO: and its number.")
    var at: String?

    @Option(help: "Only those of this term, by its exact name.")
    var term: String?

    @Option(help: "Only those in which this person teaches or learns: user name, person id, or PE- and the number.")
    var person: String?

    @Option(help: "Only those with each of these words in a name, the number or the class id.")
    var text: String?

    @OptionGroup var page: PageOptions

    func run() async throws {
        let list = ListClasses(
            archived: archived, at: at.map(LocationReference.init), term: term.map(TermReference.init),
            person: person.map(PersonReference.init), text: text, after: Int64(page.after), limit: page.limit)
        let answer = try await Deployment.administrate(global) { try await $0.ask(list, in: organization.reference) }
        try output.print(answer) {
            if answer.classes.isEmpty {
                return "No \(archived ? "archived " : "")class\(page.after > 0 ? " after \(page.after)" : "")."
            }
            return Table.text(
                ["NUMBER", "NAME", "CLASS ID", "LOCATION", "INSTRUCTORS", "STUDENTS"]
                    + (archived ? ["ARCHIVED (UTC)"] : []),
                answer.classes.map {
                    [
                        "CL-\($0.number)", $0.displayName ?? $0.name, $0.classID ?? "–", $0.location ?? "–",
                        "\($0.instructors)", "\($0.students)",
                    ] + ($0.archivedAt.map { [$0.minuteText] } ?? [])
                }) + PageOptions.hint(answer.next.map(Int.init))
        }
    }
}
