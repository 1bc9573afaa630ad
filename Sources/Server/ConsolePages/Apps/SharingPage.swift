import Administration
import Directory
import ServerPages

/// What an organization shares with an app: places, grades, roles, classes, fields, and single people who are left out.
package struct SharingPage: ConsolePage {
    /// What is in the form.
    package struct Rules: Sendable {
        /// `LO:` and numbers; `all` of them if places are not limited.
        package var limitsLocations: Bool
        package var locations: [String]
        package var includesOrganization: Bool
        /// Separated by lines, as typed.
        package var grades: String
        package var roles: [String]
        package var classes: String
        package var withheld: [String]

        package init(
            limitsLocations: Bool, locations: [String], includesOrganization: Bool, grades: String, roles: [String],
            classes: String, withheld: [String]
        ) {
            self.limitsLocations = limitsLocations
            self.locations = locations
            self.includesOrganization = includesOrganization
            self.grades = grades
            self.roles = roles
            self.classes = classes
            self.withheld = withheld
        }

        init(_ record: SharingRecord) {
            limitsLocations = record.locations != nil
            locations = record.locations?.map(\.id) ?? []
            includesOrganization = record.organizationItself ?? false
            grades = record.grades?.joined(separator: "\n") ?? ""
            roles = record.roles?.map(\.rawValue) ?? []
            classes = record.classes?.map(\.id).joined(separator: "\n") ?? ""
            withheld = record.withheld.map(\.rawValue)
        }
    }

    package let desk: Desk
    package let record: SharingRecord
    package let locations: [LocationRecord]
    package let rules: Rules
    package let failure: OperationFailure?
    /// What was typed into the field of people to leave out.
    package let people: String

    /// - Parameter typed: what was typed; nil for what is in force.
    package init(
        desk: Desk, record: SharingRecord, locations: [LocationRecord], typed: Rules? = nil, people: String = "",
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
        Sentence("consoleSharing.lead", ["people": .count(record.people), "classes": .count(record.classCount)])
    }

    package var parts: [Part] {
        Part.refusals(failure) + [.form(form), .heading(Sentence("consoleSharing.leftOut")), .table(leftOut)]
            + [.form(leaveOut)]
    }

    /// The id of the organization itself among the places.
    package static let organizationItself = "organization"

    private var form: ConsoleForm {
        var fields: [ConsoleField] = []
        if !locations.isEmpty {
            fields.append(
                ConsoleField(
                    "locations",
                    .boxes(
                        [.init(Self.organizationItself, .named(desk.organization.name))]
                            + locations.map { .init($0.id, .named($0.name)) }),
                    Sentence("consoleSharing.locations"),
                    values: (rules.includesOrganization ? [Self.organizationItself] : []) + rules.locations,
                    hint: Sentence("consoleSharing.locationsHint")))
        }
        fields += [
            ConsoleField(
                "roles", .boxes(RosterRole.allCases.map { .init($0.rawValue, AppWords.role($0)) }),
                Sentence("consoleSharing.roles"), values: rules.roles, hint: Sentence("consoleSharing.rolesHint")),
            ConsoleField(
                "grades", .lines, Sentence("consoleSharing.grades"), value: rules.grades,
                hint: Sentence("consoleSharing.gradesHint")),
            ConsoleField(
                "classes", .lines, Sentence("consoleSharing.classes"), value: rules.classes,
                hint: Sentence("consoleSharing.classesHint")),
            ConsoleField(
                "withheld", .boxes(SharedField.allCases.map { .init($0.rawValue, AppWords.field($0)) }),
                Sentence("consoleSharing.withheld"), values: rules.withheld,
                hint: Sentence("consoleSharing.withheldHint")),
        ]
        return ConsoleForm(
            .init("\(path)/sharing", [("version", record.version)]), fields,
            button: Sentence("consoleSharing.preview"),
            cancel: ConsoleLink(Sentence("console.cancel"), to: path))
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
