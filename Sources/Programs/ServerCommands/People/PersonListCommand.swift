import Administration
import ArgumentParser
import CommandOutput
import Directory

struct PersonListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people of an organization, deactivated ones included.",
        discussion: """
            For example:
              lanyard person list --role student --state active --text núñez
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "List personal accounts, which belong to no organization.")
    var personal = false

    @Option(help: "Only who holds this role anywhere, also if it is over or has not begun, as its days say.")
    var role: Role?

    @Option(help: "Only who holds a role at this location: its id, its name, or LO: and its number.")
    var at: String?

    @Option(
        name: .customLong("class"),
        help: "Only who teaches or learns in this class: its id, its name, or CL- and its number.")
    var inClass: String?

    @Option(help: "Only who is in this state.")
    var state: Person.State?

    @Option(help: "Only who has each of these words in a name, user name, email address or person id; or this number.")
    var text: String?

    @OptionGroup var page: PageOptions

    func validate() throws {
        if personal, organization.organization != nil || role != nil || at != nil || inClass != nil {
            throw ValidationError(
                "Personal accounts have no organization and no roles: leave out --org, --role, --at and --class.")
        }
    }

    func run() async throws {
        let list = ListPeople(
            personal: personal, role: role, at: at.map(LocationReference.init), class: inClass.map(ClassReference.init),
            state: state, text: text, after: Int64(page.after), limit: page.limit)
        let answer = try await Deployment.administrate(global) { try await $0.ask(list, in: organization.reference) }
        try output.print(answer) {
            if answer.people.isEmpty { return "Nobody\(page.after > 0 ? " after \(page.after)" : "")." }
            return Table.text(
                ["NUMBER", "NAME", "USER NAME", "PERSON ID", "STATE", "ROLES"],
                answer.people.map {
                    [
                        "\($0.number)", $0.fullName, $0.userName, $0.personID ?? "–", $0.state.rawValue,
                        $0.roles.map(\.text).joined(separator: "; "),
                    ]
                }) + PageOptions.hint(answer.next.map(Int.init))
        }
    }
}
