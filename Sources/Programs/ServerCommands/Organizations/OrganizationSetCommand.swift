import ArgumentParser
import CommandOutput
import Directory
import RosterFiles
import Storage

struct OrganizationSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: """
            Change an organization's name, colour, user-name format, import thresholds, or how its people sign in to apps.
            """,
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
            An import needs approval if it removes more than this percentage of a type of record. Up to 3 people, \
            courses or classes and 30 memberships may go without, if not more than half; with 0 none may.
            """)
    var removedPercent: Int?

    @Option(
        help: """
            An import needs approval if it changes more than this percentage of a type of record. New roster_ids of \
            memberships do not count.
            """)
    var changedPercent: Int?

    @Option(
        help: """
            An import needs approval if it gives more person ids than this to what looks like other people.
            """)
    var replacedMax: Int?

    @Option(
        help: """
            An import needs approval if it gives more than this percentage of the people a clearly different name. \
            Three may get one without; with 0 nobody may.
            """)
    var renamedPercent: Int?

    enum Clearable: String, CaseIterable, ExpressibleByArgument {
        case locationDomain = "location-domain"
        case locationTimeZone = "location-time-zone"
    }

    @Option(help: "The domain that apps see of locations without one of their own.")
    var locationDomain: String?

    @Option(help: "The IANA name of the time zone that apps see of locations without one of their own.")
    var locationTimeZone: String?

    @Option(help: "A default to remove. May be repeated.")
    var clear: [Clearable] = []

    private var setsDefaults: Bool { locationDomain != nil || locationTimeZone != nil || !clear.isEmpty }

    private var setsThresholds: Bool {
        removedPercent != nil || changedPercent != nil || replacedMax != nil || renamedPercent != nil
    }

    @Flag(
        inversion: .prefixedNo,
        help: "Its people confirm each sign-in to an app, or only the first and those at which the app asks for more.")
    var askEveryTime: Bool?

    func validate() throws {
        guard
            name != nil || colour != nil || userNameFormat != nil || setsThresholds || setsDefaults
                || askEveryTime != nil
        else {
            throw ValidationError(
                """
                Say what to change: --name, --colour, --user-name-format, --removed-percent, --changed-percent, --replaced-max, \
                --renamed-percent, --location-domain, --location-time-zone, --clear, --ask-every-time, \
                --no-ask-every-time.
                """)
        }
    }

    func run() async throws {
        let selector = organization.selector
        // Normalized as for storing, so that it can be compared with stored names.
        let newName = try name.map { try FieldRule.name.check($0, field: "organization name") }
        let (removedPercent, changedPercent, setsThresholds) = (removedPercent, changedPercent, setsThresholds)
        let (replacedMax, renamedPercent) = (replacedMax, renamedPercent)
        let (locationDomain, locationTimeZone, setsDefaults) = (locationDomain, locationTimeZone, setsDefaults)
        let (newColour, asksEveryTime) = (colour, askEveryTime)
        let cleared = Set(clear)
        let newFormat = try userNameFormat.map(UserNameFormat.init)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.findToChange(in: transaction)
                let name = newName ?? organization.name
                // Names must be unique, because commands select organizations by name.
                guard
                    try !Organization.list(in: transaction).contains(where: {
                        $0.name == name && $0.id != organization.id
                    })
                else { throw Failure("Another organization is called “\(name)”. Choose another name.") }
                try organization.update(
                    name: name, userNameFormat: newFormat ?? organization.userNameFormat, at: now, in: transaction)
                if let newColour { try organization.put(colour: newColour, in: transaction) }
                if setsThresholds {
                    let present = try ImportThresholds.find(for: organization.id, in: transaction)
                    try ImportThresholds(
                        removedPercent: removedPercent ?? present.removedPercent,
                        changedPercent: changedPercent ?? present.changedPercent,
                        replacedMax: replacedMax ?? present.replacedMax,
                        renamedPercent: renamedPercent ?? present.renamedPercent
                    ).put(for: organization.id, in: transaction)
                }
                if setsDefaults {
                    let present = try LocationDefaults.find(of: organization.id, in: transaction)
                    try LocationDefaults(
                        domainName: cleared.contains(.locationDomain) ? nil : locationDomain ?? present.domainName,
                        timeZone: cleared.contains(.locationTimeZone) ? nil : locationTimeZone ?? present.timeZone
                    ).put(for: organization.id, at: now, in: transaction)
                }
                if let asksEveryTime { try organization.put(asksEveryTime: asksEveryTime, in: transaction) }
                let changed = [
                    newName.map { _ in "name" }, newColour.map { "colour \($0.rawValue)" },
                    newFormat.map { _ in "user-name format" },
                    removedPercent.map { "removed \($0) %" }, changedPercent.map { "changed \($0) %" },
                    replacedMax.map { "replaced \($0)" }, renamedPercent.map { "renamed \($0) %" },
                    setsDefaults ? "what locations have without their own" : nil,
                    asksEveryTime.map { $0 ? "each sign-in confirmed" : "sign-ins not confirmed" },
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
