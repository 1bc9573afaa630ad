import Administration
import ArgumentParser
import CommandOutput
import Directory

struct OrganizationRoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "What each role may do in an organization.",
        discussion: "`lanyard person role` gives a role to somebody.",
        subcommands: [OrganizationRoleListCommand.self, OrganizationRoleSetCommand.self])
}

struct OrganizationRoleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what each role may do, and what the organization decides about it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ListRoles(), in: organization.reference)
        }
        try output.print(answer) {
            Table.text(
                ["ROLE", "PEOPLE", "MAY", "MAY NOT, BUT COULD"],
                answer.roles.map { record in
                    [
                        record.role.defaultValueDescription, record.peopleText,
                        record.privilegesText(record.privileges),
                        record.privilegesText(record.optional.filter { !record.privileges.contains($0) }),
                    ]
                })
        }
    }
}

struct OrganizationRoleSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change what the holders of a role may do, from their next step on.",
        discussion: """
            What an Administrator may do stays as it is, and so does who decides about apps. Nobody gives a privilege that they \
            lack. `lanyard org role list` has the privileges.

            For example:
              lanyard org role set manager --give audit.read --take classes.manage
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The role.")
    var role: Role

    @Option(help: "A privilege that its holders have from now on. Can be repeated.")
    var give: [Privilege] = []

    @Option(help: "A privilege that they have no longer. Can be repeated.")
    var take: [Privilege] = []

    func validate() throws {
        guard !give.isEmpty || !take.isEmpty else {
            throw ValidationError("Say what changes, with --give or --take.")
        }
    }

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(SetRole(role: role, give: give, take: take), in: organization.reference).answer
        }
        try output.print(record) {
            "\(record.title) may: \(record.privilegesText(record.privileges)). People with the role: \(record.peopleText)."
        }
    }
}

extension RoleRecord {
    fileprivate var peopleText: String { holders > Role.countedMax ? "more than \(Role.countedMax)" : "\(holders)" }

    fileprivate func privilegesText(_ privileges: [Privilege]) -> String {
        privileges.isEmpty ? "–" : privileges.map(\.rawValue).joined(separator: " ")
    }
}
