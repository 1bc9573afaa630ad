import ArgumentParser
import CommandOutput
import Directory
import Storage

struct LocationSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a location.",
        discussion: "The next import brings back the name of a location that came from its files.")

    enum Clearable: String, CaseIterable, ExpressibleByArgument {
        case domain
        case timeZone = "time-zone"
        case studentPasswordPolicy = "student-password-policy"
    }

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The location: its id, its name, or LO: and its number.")
    var location: String

    @Option(help: "The new name.")
    var name: String?

    @Option(help: "The domain of its people.")
    var domain: String?

    @Option(help: "The IANA name of its time zone, such as Europe/Berlin.")
    var timeZone: String?

    @Option(help: "What new pupils' passwords look like, unless their own record says: 4 or 6 digits, or 8 characters.")
    var studentPasswordPolicy: PasswordPolicy?

    @Option(help: "A value to remove. May be repeated.")
    var clear: [Clearable] = []

    func validate() throws {
        let given: [Clearable?] = [
            domain.map { _ in .domain }, timeZone.map { _ in .timeZone },
            studentPasswordPolicy.map { _ in .studentPasswordPolicy },
        ]
        guard name != nil || !clear.isEmpty || given.contains(where: { $0 != nil }) else {
            throw ValidationError(
                "Say what to change: --name, --domain, --time-zone, --student-password-policy, --clear.")
        }
        if let both = clear.first(where: given.contains) {
            throw ValidationError("--\(both.rawValue) and --clear \(both.rawValue) contradict each other.")
        }
    }

    func run() async throws {
        let selector = organization.selector
        let place = LocationSelector(text: location)
        let (name, domain, timeZone, policy) = (name, domain, timeZone, studentPasswordPolicy)
        let cleared = Set(clear)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                let location = try place.find(in: organization, transaction)
                try location.update(
                    name: name ?? location.name,
                    domainName: cleared.contains(.domain) ? nil : domain ?? location.domainName,
                    timeZone: cleared.contains(.timeZone) ? nil : timeZone ?? location.timeZone,
                    studentPasswordPolicy: cleared.contains(.studentPasswordPolicy)
                        ? nil : policy ?? location.studentPasswordPolicy,
                    at: now, in: transaction)
                try AuditEntry(
                    .locationChanged, by: .operator, on: "location:\(location.id.rawValue)", outcome: .done,
                    from: .commandLine
                ).append(to: organization.id, at: now, in: transaction)
                return LocationReport(
                    try Location.find(location.id, in: organization.id, transaction) ?? location)
            }
        }
        try output.print(report) { "Changed.\n\n" + Table.text(LocationReport.head, [report.row]) }
    }
}
