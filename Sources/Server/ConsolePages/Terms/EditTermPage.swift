import Administration
import Directory
import ServerPages

/// The page on which a term is made or changed.
package struct EditTermPage: ConsolePage {
    package let desk: Desk
    /// Nil for a new one.
    package let term: TermRecord?
    package let locations: LocationChoices
    package let typed: [String: String]?
    package let failure: OperationFailure?

    package init(
        desk: Desk, term: TermRecord?, locations: LocationChoices, typed: [String: String]? = nil,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.term = term
        self.locations = locations
        self.typed = typed
        self.failure = failure
    }

    package static let names = ["name", "firstDay", "lastDay", "at"]

    package var section: ConsoleSection { .classes }
    package var heading: Sentence {
        term.map { Sentence("consolePerson.editHeading", ["name": .text($0.name)]) } ?? Sentence("consoleTerms.add")
    }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleTerms.heading"), to: TermsPage.path) }

    private func value(_ name: String) -> String {
        if let typed { return typed[name] ?? "" }
        return switch name {
        case "name": term?.name ?? ""
        case "firstDay": term?.firstDay.text ?? ""
        case "lastDay": term?.lastDay.text ?? ""
        default: ""
        }
    }

    package var parts: [Part] {
        var fields = [
            ConsoleField(
                "name", .text, Sentence("consoleTerms.name"), value: value("name"),
                hint: Sentence("consoleTerms.nameHint"), isRequired: true),
            ConsoleField(
                "firstDay", .date, Sentence("consoleTerms.firstDay"), value: value("firstDay"), isRequired: true),
            ConsoleField("lastDay", .date, Sentence("consoleTerms.lastDay"), value: value("lastDay"), isRequired: true),
        ]
        if term == nil, !locations.isEmpty {
            fields.append(
                locations.field(
                    "at", Sentence("consolePeople.location"), nowhere: Sentence("consoleTerms.everywhere"),
                    value: value("at")))
        }
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(
                        term.map { TermsPage.path(of: $0.name, "edit") } ?? "\(TermsPage.path)/add",
                        term.map { [("version", $0.version)] } ?? []),
                    fields, button: Sentence(term == nil ? "consoleTerms.addButton" : "console.save"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: TermsPage.path)))
        ]
    }
}
