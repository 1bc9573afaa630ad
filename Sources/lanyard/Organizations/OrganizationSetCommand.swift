import ArgumentParser
import Directory
import RosterFiles
import Storage

struct OrganizationSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change an organization's name, colour, user-name format, or import thresholds.",
        discussion: "People who have a user name keep it; a new format is for people who come later.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "The new name.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The colour of its badge and of its accounts' pages. White letters can be read on each.",
            discussion: "Without it, the colour follows from the organization's id."))
    var colour: Organization.Colour?

    @Option(help: "How imported people get their user names, such as {first_name}.{last_name}@maple.example.")
    var userNameFormat: String?

    @Option(
        help: """
            An import that removes more than so many percent of a type of record waits for approval. Up to 3 people, \
            courses or classes and 30 memberships may go in any case, if not more than half; with 0 nothing may.
            """)
    var removedPercent: Int?

    @Option(
        help: """
            An import that changes more than so many percent of a type of record waits for approval. New roster_ids of \
            memberships do not count.
            """)
    var changedPercent: Int?

    func validate() throws {
        guard name != nil || colour != nil || userNameFormat != nil || removedPercent != nil || changedPercent != nil else {
            throw ValidationError(
                "Say what to change: --name, --colour, --user-name-format, --removed-percent, --changed-percent.")
        }
    }

    func run() async throws {
        let selector = organization.selector
        // As it is stored, so that it is compared with what is stored.
        let newName = try name.map { try FieldRule.name.check($0, field: "organization name") }
        let (removedPercent, changedPercent, newColour) = (removedPercent, changedPercent, colour)
        let newFormat = try userNameFormat.map(UserNameFormat.init)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                let name = newName ?? organization.name
                // Commands name organizations by name.
                guard
                    try !Organization.list(in: transaction).contains(where: {
                        $0.name == name && $0.id != organization.id
                    })
                else { throw Failure("Another organization is called “\(name)”. Choose another name.") }
                try organization.update(
                    name: name, userNameFormat: newFormat ?? organization.userNameFormat, at: now, in: transaction)
                if let newColour { try organization.put(colour: newColour, in: transaction) }
                if removedPercent != nil || changedPercent != nil {
                    let present = try ImportThresholds.find(for: organization.id, in: transaction)
                    try ImportThresholds(
                        removedPercent: removedPercent ?? present.removedPercent,
                        changedPercent: changedPercent ?? present.changedPercent
                    ).put(for: organization.id, in: transaction)
                }
                let changed = [
                    newName.map { _ in "name" }, newColour.map { "colour \($0.rawValue)" }, newFormat.map { _ in "user-name format" },
                    removedPercent.map { "removed \($0) %" }, changedPercent.map { "changed \($0) %" },
                ].compactMap { $0 }
                try AuditEntry(
                    .organizationChanged, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
                    detail: changed.joined(separator: ", "), from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                let updated = try Organization.find(organization.id, in: transaction) ?? organization
                return try OrganizationReport(updated, in: transaction)
            }
        }
        try output.print(report) { "Changed.\n\n\(report.text)" }
    }
}
