import ArgumentParser
import CommandOutput
import Directory
import Storage

struct RoleRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take a role from a person.",
        discussion: "The next import brings back a role that its files give.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @OptionGroup var held: HeldRoleArguments

    func run() async throws {
        let (selector, role, place) = (person.selector, held.role, held.place)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let (person, organization) = try selector.findManaged(in: transaction)
                let location = try place?.find(in: organization, transaction)
                guard try RoleAssignment(role, at: location?.id).delete(for: person.id, at: now, in: transaction) else {
                    throw Failure(
                        """
                        \(person.fullName) is not \(role.title) at \(location?.name ?? organization.name). \
                        `lanyard person show \(person.userName)` lists the roles; --at names a location.
                        """)
                }
                try AuditEntry.roleRemoved(role, at: location, from: person)
                    .append(to: organization.id, at: now, in: transaction)
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}
