import Administration
import Directory
import ServerPages

/// What an organization shares with an app: places, grades, roles, classes, fields, and single people who are left out.
package struct SharingPage: ConsolePage {
    /// What can be limited.
    package enum Limit: String, CaseIterable, Sendable {
        case locations, roles, grades, classes

        var label: Sentence { Sentence("consoleSharing.\(rawValue)") }
    }

    /// What the form shows and sends.
    package struct Rules: Sendable {
        /// `LO:` and numbers, and ``organizationItself``.
        package var locations: [String]
        /// Locations that have no checkbox, one a line and as they were typed. ``grades`` and ``classes`` are lines
        /// too.
        package var furtherLocations = ""
        package var grades: String
        package var roles: [String]
        package var classes: String
        package var withheld: [String]
        /// Limits that are set, and let nothing through. Their fields above are as empty as those of limits that are
        /// not set: this list tells the two apart.
        package var closed: [Limit]

        package init(
            locations: [String], furtherLocations: String, grades: String, roles: [String], classes: String,
            withheld: [String], closed: [Limit]
        ) {
            self.locations = locations
            self.furtherLocations = furtherLocations
            self.grades = grades
            self.roles = roles
            self.classes = classes
            self.withheld = withheld
            self.closed = closed
        }

        init(_ record: SharingRecord) {
            locations =
                (record.organizationItself == true ? [SharingPage.organizationItself] : [])
                + (record.locations ?? []).map(\.id)
            grades = record.grades?.joined(separator: "\n") ?? ""
            roles = record.roles?.map(\.rawValue) ?? []
            classes = record.classes?.map(\.id).joined(separator: "\n") ?? ""
            withheld = record.withheld.map(\.rawValue)
            closed = record.closedLimits
        }
    }

    package let desk: Desk
    package let record: SharingRecord
    package let locations: LocationChoices
    package let rules: Rules
    package let failure: OperationFailure?
    /// What was typed into the field of people to leave out.
    package let people: String

    /// - Parameter typed: what was typed; nil for what is in force.
    package init(
        desk: Desk, record: SharingRecord, locations: LocationChoices, typed: Rules? = nil, people: String = "",
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.record = record
        self.locations = locations
        self.rules = typed ?? Rules(record)
        self.people = people
        self.failure = failure
    }

    private var path: String { AppWords.path(of: record.appNumber) }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { Sentence("consoleSharing.heading", ["app": .text(record.app.shown)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(record.app), to: path) }
    package var lead: Sentence? {
        Sentence(
            record.countsAreKept ? "consoleSharing.leadKept" : "consoleSharing.lead",
            ["people": .count(record.people), "classes": .count(record.classCount)])
    }

    package var parts: [Part] {
        Part.refusals(failure) + [.form(form), .heading(Sentence("consoleSharing.leftOut")), .table(leftOut)]
            + [.form(leaveOut)]
    }

    /// The id of the organization itself among the places.
    package static let organizationItself = "organization"

    private var form: ConsoleForm {
        let fields =
            [
                ConsoleField(
                    "locations", .boxes(places), Limit.locations.label, values: rules.locations,
                    hint: Sentence("consoleSharing.locationsHint"))
            ]
            + (locations.isWhole
                ? []
                : [
                    ConsoleField(
                        "furtherLocations", .lines, Sentence("consoleSharing.furtherLocations"),
                        value: rules.furtherLocations, hint: Sentence("consoleSharing.furtherLocationsHint"))
                ]) + otherFields + closedFields
        return ConsoleForm(
            .init("\(path)/sharing", [("version", record.version)]), fields,
            button: Sentence("consoleSharing.preview"),
            cancel: ConsoleLink(Sentence("console.cancel"), to: path))
    }

    /// The organization itself, the locations from which one chooses, and those of the rules that are not among them.
    private var places: [ConsoleField.Option] {
        let listed = locations.isWhole ? locations.listed.map(\.id) : []
        let others = (record.locations ?? []).filter { !listed.contains($0.id) }
        return [.init(Self.organizationItself, .named(desk.organization.name))]
            + (locations.isWhole ? locations.listed.map { .init($0.id, .named($0.name)) } : [])
            + others.map { .init($0.id, .named($0.name ?? $0.id)) }
    }

    /// Without this field, saving the form would lift the limits of which it shows nothing.
    private var closedFields: [ConsoleField] {
        let closed = record.closedLimits
        guard !closed.isEmpty else { return [] }
        return [
            ConsoleField(
                "closed", .boxes(closed.map { .init($0.rawValue, $0.label) }), Sentence("consoleSharing.closed"),
                values: rules.closed.map(\.rawValue), hint: Sentence("consoleSharing.closedHint"))
        ]
    }

    private var otherFields: [ConsoleField] {
        [
            ConsoleField(
                "roles", .boxes(RosterRole.allCases.map { .init($0.rawValue, AppWords.role($0)) }),
                Limit.roles.label, values: rules.roles, hint: Sentence("consoleSharing.rolesHint")),
            ConsoleField(
                "grades", .lines, Limit.grades.label, value: rules.grades,
                hint: Sentence("consoleSharing.gradesHint")),
            ConsoleField(
                "classes", .lines, Limit.classes.label, value: rules.classes,
                hint: Sentence("consoleSharing.classesHint")),
            ConsoleField(
                "withheld", .boxes(SharedField.allCases.map { .init($0.rawValue, AppWords.field($0)) }),
                Sentence("consoleSharing.withheld"), values: rules.withheld,
                hint: Sentence("consoleSharing.withheldHint")),
        ]
    }

    private var leftOut: Table {
        Table(
            Sentence("consoleSharing.leftOut"),
            [.init(Sentence("consolePeople.name")), .init(Sentence("consoleAccess.action"))],
            record.leftOut.map { one in
                .init([
                    one.name.map { .link($0, to: PersonWords.path(of: one.number)) } ?? .text("PE-\(one.number)"),
                    .button(
                        Sentence("consoleSharing.putBack"), .init("\(path)/put-back", [("people", "PE-\(one.number)")])),
                ])
            }, empty: Sentence("consoleSharing.nobodyLeftOut"))
    }

    private var leaveOut: ConsoleForm {
        ConsoleForm(
            .init("\(path)/leave-out"),
            [
                ConsoleField(
                    "people", .lines, Sentence("consoleSharing.leaveOut"), value: people,
                    hint: Sentence("consoleSharing.leaveOutHint"), isRequired: true)
            ], button: Sentence("consoleSharing.preview"))
    }
}

extension SharingPage {
    static let sentences = Limit.allCases.map(\.label)
}

extension SharingRecord {
    /// The limits that let nothing through.
    fileprivate var closedLimits: [SharingPage.Limit] {
        SharingPage.Limit.allCases.filter {
            switch $0 {
            case .locations: locations?.isEmpty == true && organizationItself != true
            case .roles: roles?.isEmpty == true
            case .grades: grades?.isEmpty == true
            case .classes: classes?.isEmpty == true
            }
        }
    }
}
