import Administration
import ArgumentParser
import CommandOutput
import Directory

struct OrganizationSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: """
            Change an organization's name, colour, user-name format, import thresholds, or how its people sign in.
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
        case colour
        case secondFactor = "second-factor"
        case sessionHours = "session-hours"
        case idleMinutes = "idle-minutes"
        case language
        case terms
    }

    @Option(help: "The domain that apps see of locations without one of their own.")
    var locationDomain: String?

    @Option(help: "The IANA name of the time zone that apps see of locations without one of their own.")
    var locationTimeZone: String?

    @Option(
        help: """
            Who has to have a second factor, such as a passkey: administrator, site-manager, people-manager or team-member, \
            who makes apps. May be repeated, and replaces all before.
            """)
    var secondFactor: [FactorRule.Holder] = []

    @Option(help: "How many days they have to set one up, counted from when somebody more has to.")
    var secondFactorDays: Int?

    @Option(help: "After how many hours a browser has to sign in anew, 1 to 12.")
    var sessionHours: Int?

    @Option(help: "After how many minutes without use a browser is signed out, at least 5.")
    var idleMinutes: Int?

    @Option(help: "The language of letters and slips for people who have chosen none: en, ja or ko.")
    var language: String?

    @Option(help: "Where its terms are, such as https://maple.example/terms. Pages of its accounts have a link to it.")
    var terms: String?

    @Option(help: "What is to be as if nobody had chosen it. May be repeated.")
    var clear: [Clearable] = []

    private var setsDefaults: Bool { locationDomain != nil || locationTimeZone != nil || !clear.isEmpty }

    private var setsHouseRules: Bool {
        sessionHours != nil || idleMinutes != nil || language != nil || terms != nil
    }

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
                || askEveryTime != nil || !secondFactor.isEmpty || secondFactorDays != nil || setsHouseRules
        else {
            throw ValidationError(
                """
                Say what to change: --name, --colour, --user-name-format, --removed-percent, --changed-percent, --replaced-max, \
                --renamed-percent, --location-domain, --location-time-zone, --clear, --ask-every-time, \
                --no-ask-every-time, --second-factor, --second-factor-days, --session-hours, --idle-minutes, \
                --language, --terms.
                """)
        }
    }

    private var change: SetOrganization {
        var change = SetOrganization()
        change.name = name
        change.colour = colour
        change.userNameFormat = userNameFormat
        change.removedPercent = removedPercent
        change.changedPercent = changedPercent
        change.replacedMax = replacedMax
        change.renamedPercent = renamedPercent
        change.locationDomain = locationDomain
        change.locationTimeZone = locationTimeZone
        change.asksEveryTime = askEveryTime
        change.factorHolders = secondFactor.isEmpty ? nil : secondFactor
        change.factorGraceDays = secondFactorDays
        change.sessionHours = sessionHours
        change.idleMinutes = idleMinutes
        change.language = language
        change.termsURL = terms
        change.clear = clear.isEmpty ? nil : clear.map(\.field)
        return change
    }

    func run() async throws {
        let change = change
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(record) { "Changed.\n\n\(record.text)" }
    }
}

extension OrganizationSetCommand.Clearable {
    fileprivate var field: SetOrganization.OptionalField {
        switch self {
        case .locationDomain: .locationDomain
        case .locationTimeZone: .locationTimeZone
        case .colour: .colour
        case .secondFactor: .factorHolders
        case .sessionHours: .sessionHours
        case .idleMinutes: .idleMinutes
        case .language: .language
        case .terms: .termsURL
        }
    }
}
