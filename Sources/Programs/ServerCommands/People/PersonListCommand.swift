import ArgumentParser
import CommandOutput
import Directory
import Storage

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

    @Option(help: "Only who holds this role anywhere.")
    var role: Role?

    @Option(help: "Only who holds a role at this location: its id, its name, or LO: and its number.")
    var at: String?

    @Option(
        name: .customLong("class"),
        help: "Only who teaches or learns in this class: its id, its name, or CL- and its number.")
    var inClass: String?

    @Option(help: "Only who is in this state.")
    var state: Person.State?

    @Option(help: "Only who has this in a name, user name, email address or person id.")
    var text: String?

    @OptionGroup var page: PageOptions

    private struct Result: Encodable {
        let people: [PersonReport]
        let next: Int?
    }

    func validate() throws {
        if personal, organization.organization != nil || role != nil || at != nil || inClass != nil {
            throw ValidationError(
                "Personal accounts have no organization and no roles: leave out --org, --role, --at and --class.")
        }
    }

    func run() async throws {
        let (selector, isPersonal) = (organization.selector, personal)
        let (role, state, text) = (role, state, text)
        let (place, rosterClass) = (at.map(LocationSelector.init), inClass.map(ClassSelector.init))
        let (after, limit) = (PersonID(rawValue: Int64(page.after)), page.limit)
        let (people, next) = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let organization = isPersonal ? nil : try selector.find(in: transaction)
                let filter = PersonFilter(
                    role: role, state: state,
                    location: try organization.flatMap { try place?.find(in: $0, transaction).id },
                    rosterClass: try organization.flatMap { try rosterClass?.find(in: $0, transaction) }, text: text)
                let found = try Person.page(
                    of: organization?.id, matching: filter, after: after, limit: limit + 1, in: transaction)
                let page = found.page(limit: limit) { Int($0.id.rawValue) }
                return (try page.elements.map { try PersonReport($0, in: transaction) }, page.next)
            }
        }
        try output.print(Result(people: people, next: next)) {
            if people.isEmpty { return "Nobody\(after > .none ? " after \(after.rawValue)" : "")." }
            return Table.text(
                ["NUMBER", "NAME", "USER NAME", "PERSON ID", "STATE", "ROLES"],
                people.map {
                    [
                        "\($0.number)", $0.fullName, $0.userName, $0.personID ?? "–", $0.state.rawValue,
                        $0.roles.map(\.text).joined(separator: "; "),
                    ]
                }) + PageOptions.hint(next)
        }
    }
}
