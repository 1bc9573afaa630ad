import ArgumentParser
import Directory
import Storage

struct PersonListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people of an organization, deactivated ones included.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "List personal accounts, which belong to no organization.")
    var personal = false

    @Option(help: "Only who holds this role anywhere.")
    var role: Role?

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
        if personal, organization.organization != nil || role != nil {
            throw ValidationError("Personal accounts have no organization and no roles: leave out --org and --role.")
        }
    }

    func run() async throws {
        let (selector, isPersonal) = (organization.selector, personal)
        let filter = PersonFilter(role: role, state: state, text: text)
        let (after, limit) = (PersonID(rawValue: Int64(page.after)), page.limit)
        let (people, next) = try await Deployment.withExisting(global) { deployment, _ in
            try await deployment.database.read { transaction in
                let organization = isPersonal ? nil : try selector.find(in: transaction).id
                let found = try Person.page(
                    of: organization, matching: filter, after: after, limit: limit + 1, in: transaction)
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
