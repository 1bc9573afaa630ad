import Administration
import ArgumentParser
import CommandOutput
import Directory

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
        let change = AddLocation(
            name: name, locationID: locationID, domain: domain, timeZone: timeZone,
            studentPasswordPolicy: studentPasswordPolicy)
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) { "Added.\n\n" + Table.text(LocationRecord.head, [record.row]) }
    }
}
