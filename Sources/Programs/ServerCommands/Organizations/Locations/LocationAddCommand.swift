import ArgumentParser
import CommandOutput
import Directory
import Storage

struct LocationAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a location by hand.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The name, such as Maple High.")
    var name: String

    @Option(name: .customLong("location-id"), help: "Its id in the school's own records: letters, digits, hyphens.")
    var locationID: String?

    @Option(help: "The domain of its people.")
    var domain: String?

    @Option(help: "The IANA name of its time zone, such as Europe/Berlin.")
    var timeZone: String?

    @Option(help: "What new pupils' passwords look like, unless their own record says: 4 or 6 digits, or 8 characters.")
    var studentPasswordPolicy: PasswordPolicy?

    func run() async throws {
        let selector = organization.selector
        let (name, locationID, domain, timeZone) = (name, locationID, domain, timeZone)
        let policy = studentPasswordPolicy
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                if let locationID, try Location.find(sourceID: locationID, in: organization.id, transaction) != nil {
                    throw Failure("\(organization.name) has a location with the id “\(locationID)” already.")
                }
                let location = try Location.insert(
                    in: organization.id, sourceID: locationID, name: name, domainName: domain, timeZone: timeZone,
                    studentPasswordPolicy: policy, at: now, in: transaction)
                try AuditEntry(
                    .locationCreated, by: .operator, on: "location:\(location.id.rawValue)", outcome: .done,
                    from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                return LocationReport(location)
            }
        }
        try output.print(report) { "Added.\n\n" + Table.text(LocationReport.head, [report.row]) }
    }
}
