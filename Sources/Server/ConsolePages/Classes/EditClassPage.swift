import Administration
import ServerPages

/// The page on which a class is made, or its fields are changed.
package struct EditClassPage: ConsolePage {
    package let desk: Desk
    /// Nil for a new one.
    package let record: ClassRecord?
    package let locations: LocationChoices
    /// The terms that are not closed, and the class's own even if it is.
    package let terms: [TermRecord]
    /// What was typed, by the names of the fields; nil for what the record says.
    package let typed: [String: String]?
    package let failure: OperationFailure?

    package init(
        desk: Desk, record: ClassRecord?, locations: LocationChoices, terms: [TermRecord],
        typed: [String: String]? = nil, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.record = record
        self.locations = locations
        self.terms = terms.filter { $0.closedAt == nil || $0.name == record?.term }
        self.typed = typed
        self.failure = failure
    }

    package static let names = [
        "name", "displayName", "classNumber", "room", "classID", "at", "term", "instructors", "students",
    ]

    package var section: ConsoleSection { .classes }
    package var heading: Sentence {
        record.map { Sentence("consolePerson.editHeading", ["name": .text($0.name)]) } ?? Sentence("consoleClasses.add")
    }
    package var lead: Sentence? { isDelivered ? Sentence("consoleClasses.editImported") : nil }
    package var parent: ConsoleLink? {
        record.map { ConsoleLink(.named($0.name), to: ClassWords.path(of: $0.number)) }
            ?? ConsoleLink(Sentence("consoleClasses.heading"), to: section.path)
    }

    /// Whether the last import has had the class. Then the fields are missing that the next one would overwrite.
    private var isDelivered: Bool { record?.isDelivered == true }

    private func value(_ name: String) -> String {
        if let typed { return typed[name] ?? "" }
        return switch name {
        case "name": record?.name ?? ""
        case "displayName": record?.displayName ?? ""
        case "classNumber": record?.classNumber ?? ""
        case "room": record?.room ?? ""
        case "at": record?.locationID ?? ""
        case "term": record?.term ?? ""
        case "instructors": record?.instructors.compactMap(\.userName).joined(separator: "\n") ?? ""
        default: ""
        }
    }

    private func field(
        _ name: String, _ label: String, _ kind: ConsoleField.Kind = .text, hint: String? = nil,
        isRequired: Bool = false
    ) -> ConsoleField {
        ConsoleField(
            name, kind, Sentence(label), value: value(name), hint: hint.map { Sentence($0) }, isRequired: isRequired)
    }

    private var fields: [ConsoleField] {
        let none = ConsoleField.Option("", Sentence("consoleClasses.noTerm"))
        let room = field("room", "consoleClasses.room")
        let term = field(
            "term", "consoleClasses.term", .choice([none] + terms.map { .init($0.name, .named($0.name)) }))
        if isDelivered { return [room] + (terms.isEmpty ? [] : [term]) }
        let (names, hint) = ("consoleClasses.instructors", "consoleClasses.userNamesHint")
        return [
            field("name", "consoleClasses.name", isRequired: true),
            field("displayName", "consoleClasses.displayName", hint: "consoleClasses.displayNameHint"),
            field("classNumber", "consoleClasses.number"), room,
            locations.field(
                "at", Sentence("consolePeople.location"), nowhere: Sentence("consolePerson.everywhere"),
                value: value("at")),
        ]
            + (record == nil
                ? [field("classID", "consoleClasses.classID", .verbatim, hint: "consoleClasses.classIDHint")]
                : terms.isEmpty ? [] : [term])
            + [field("instructors", names, .lines, hint: hint)]
            + (record == nil ? [field("students", "consoleClasses.students", .lines, hint: hint)] : [])
    }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(
                        record.map { "\(ClassWords.path(of: $0.number))/edit" } ?? "\(section.path)/add",
                        record.map { [("version", $0.version)] } ?? []),
                    fields, button: Sentence(record == nil ? "consoleClasses.addButton" : "console.save"),
                    cancel: parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) }))
        ]
    }
}
