import Administration
import Directory
import ServerPages

/// The page on which an account is made by hand.
package struct AddPersonPage: ConsolePage {
    package let desk: Desk
    package let locations: LocationChoices
    /// What was typed, by the names of the fields.
    package let typed: [String: String]
    package let failure: OperationFailure?

    package init(
        desk: Desk, locations: LocationChoices, typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.locations = locations
        self.typed = typed
        self.failure = failure
    }

    package static let path = "\(ConsoleSection.people.path)/add"
    /// The same page with a role chosen.
    static func path(for role: Role) -> String { "\(path)?role=\(role.rawValue)" }
    package static let names = [
        "firstName", "middleName", "lastName", "userName", "email", "grade", "personID", "role", "at",
    ]

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePeople.add") }
    package var lead: Sentence? { Sentence("consolePeople.addLead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consolePeople.heading"), to: section.path) }

    package var parts: [Part] {
        func field(
            _ name: String, _ label: String, _ kind: ConsoleField.Kind = .text, hint: String? = nil,
            isRequired: Bool = false
        ) -> ConsoleField {
            ConsoleField(
                name, kind, Sentence("consolePerson.\(label)"), value: typed[name] ?? "",
                hint: hint.map { Sentence("consolePerson.\($0)") }, isRequired: isRequired)
        }
        let fields = [
            field("firstName", "firstName", isRequired: true), field("middleName", "middleName"),
            field("lastName", "lastName", isRequired: true),
            field("userName", "userNameOf", .verbatim, hint: "userNameHint"), field("email", "email", .email),
        ]
        let ofSchool =
            desk.isSchool
            ? [field("grade", "grade"), field("personID", "personID", .verbatim, hint: "personIDHint")] : []
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(Self.path), fields + ofSchool + RoleFields.fields(desk, locations, typed: typed),
                    button: Sentence("consolePeople.addButton"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: section.path)))
        ]
    }

    static let sentences = ["userNameOf", "userNameHint", "personIDHint"].map { Sentence("consolePerson.\($0)") }
}

/// The fields that say which role somebody gets, and where.
enum RoleFields {
    static func fields(
        _ desk: Desk, _ locations: LocationChoices, typed: [String: String], isRequired: Bool = false
    ) -> [ConsoleField] {
        let roles = desk.roles.filter(desk.givenRoles.contains).map { ConsoleField.Option($0.rawValue, $0.word) }
        let none = ConsoleField.Option("", Sentence("consolePerson.noRole"))
        return [
            ConsoleField(
                "role", .choice((isRequired ? [] : [none]) + roles), Sentence("consolePeople.role"),
                value: typed["role"] ?? (isRequired ? Role.staff.rawValue : "")),
            locations.field(
                "at", Sentence("consolePerson.roleAtPlace"), nowhere: Sentence("consolePerson.everywhere"),
                value: typed["at"] ?? ""),
        ]
    }

    static func days(typed: [String: String]) -> [ConsoleField] {
        [
            ConsoleField(
                "from", .date, Sentence("consolePerson.roleFirstDay"), value: typed["from"] ?? "",
                hint: Sentence("consolePerson.roleFirstDayHint")),
            ConsoleField(
                "until", .date, Sentence("consolePerson.roleLastDay"), value: typed["until"] ?? "",
                hint: Sentence("consolePerson.roleLastDayHint")),
        ]
    }
}
