import ArgumentParser
import CommandOutput
import Directory
import Storage

struct RoleAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Give a person a role.")

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
                // Refused, because the role would not be visible now, and would take effect unnoticed when the person
                // is activated again.
                guard person.state != .deactivated else {
                    throw Failure(
                        """
                        \(person.fullName) is deactivated and holds no new role. Run `lanyard person reactivate \
                        \(person.userName)` first.
                        """)
                }
                let location = try place?.find(in: organization, transaction)
                let assignment = RoleAssignment(role, at: location?.id)
                // Written even if the role is there, because this marks it as given by hand, which imports do not
                // change.
                try assignment.insert(for: person.id, of: organization.id, at: now, in: transaction)
                try AuditEntry.roleAdded(role, at: location, to: person)
                    .append(to: organization.id, at: now, in: transaction)
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) { report.text }
    }
}

extension PersonSelector {
    /// A person who can have roles, and their organization.
    /// - Throws: ``Failure``, also for a personal account.
    func findManaged(in transaction: some Transaction) throws -> (Person, Organization) {
        let person = try findToChange(in: transaction)
        guard let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) })
        else {
            throw Failure("\(person.fullName) has a personal account; only people of an organization hold roles.")
        }
        return (person, organization)
    }
}
