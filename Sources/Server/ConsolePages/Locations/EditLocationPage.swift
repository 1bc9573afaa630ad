import Administration
import Directory
import ServerPages

/// The page on which a location is made or changed.
package struct EditLocationPage: ConsolePage {
    package let desk: Desk
    /// Nil for a new one.
    package let location: LocationRecord?
    package let typed: [String: String]?
    package let failure: OperationFailure?

    package init(
        desk: Desk, location: LocationRecord?, typed: [String: String]? = nil, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.location = location
        self.typed = typed
        self.failure = failure
    }

    package static let names = ["name", "locationID", "domain", "timeZone", "studentPasswordPolicy"]

    package var section: ConsoleSection { .locations }
    package var heading: Sentence {
        location.map { Sentence("consolePerson.editHeading", ["name": .text($0.name)]) }
            ?? Sentence("consoleLocations.add")
    }
    package var lead: Sentence? { location?.source == .csv ? Sentence("consoleLocations.editImported") : nil }
    package var parent: ConsoleLink? {
        location.map { ConsoleLink(.named($0.name), to: LocationPage.path(of: $0.number)) }
            ?? ConsoleLink(Sentence("consoleLocations.heading"), to: section.path)
    }

    private func value(_ name: String) -> String {
        if let typed { return typed[name] ?? "" }
        return switch name {
        case "name": location?.name ?? ""
        case "domain": location?.domain ?? ""
        case "timeZone": location?.timeZone ?? ""
        case "studentPasswordPolicy": location?.studentPasswordPolicy?.rawValue ?? ""
        default: ""
        }
    }

    package var parts: [Part] {
        func field(
            _ name: String, _ label: String, _ kind: ConsoleField.Kind = .text, hint: String? = nil,
            isRequired: Bool = false
        ) -> ConsoleField {
            ConsoleField(
                name, kind, Sentence("consoleLocations.\(label)"), value: value(name),
                hint: hint.map { Sentence("consoleLocations.\($0)") }, isRequired: isRequired)
        }
        let policies = PasswordPolicy.options(none: Sentence("consoleLocations.policyStandard"))
        let fields =
            [field("name", "name", isRequired: true)]
            + (location == nil ? [field("locationID", "locationID", .verbatim, hint: "locationIDHint")] : [])
            + [
                field("domain", "domain", .verbatim, hint: "domainHint"),
                field("timeZone", "timeZone", .verbatim, hint: "timeZoneHint"),
            ]
            + (desk.isSchool ? [field("studentPasswordPolicy", "policy", .choice(policies), hint: "policyHint")] : [])
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(
                        location.map { "\(LocationPage.path(of: $0.number))/edit" } ?? "\(section.path)/add",
                        location.map { [("version", $0.version)] } ?? []),
                    fields, button: Sentence(location == nil ? "consoleLocations.addButton" : "console.save"),
                    cancel: ConsoleLink(
                        Sentence("console.cancel"),
                        to: location.map { LocationPage.path(of: $0.number) } ?? section.path)))
        ]
    }

    static let sentences = [
        "name", "locationID", "locationIDHint", "domain", "domainHint", "timeZone", "timeZoneHint", "policy",
        "policyHint",
    ].map { Sentence("consoleLocations.\($0)") }
}
