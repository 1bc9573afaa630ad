import Administration
import ArgumentParser
import CommandOutput
import Directory

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
        let change = EditLocation(
            location: LocationReference(location), name: name, domain: domain, timeZone: timeZone,
            studentPasswordPolicy: studentPasswordPolicy, clear: clear.isEmpty ? nil : clear.map(\.field))
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) { "Changed.\n\n" + Table.text(LocationRecord.head, [record.row]) }
    }
}

extension LocationSetCommand.Clearable {
    fileprivate var field: EditLocation.OptionalField {
        switch self {
        case .domain: .domain
        case .timeZone: .timeZone
        case .studentPasswordPolicy: .studentPasswordPolicy
        }
    }
}
