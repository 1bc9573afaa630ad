import Administration
import Directory
import ServerPages

/// Where files are sent from the browser.
package struct UploadPage: ConsolePage {
    package let desk: Desk
    package let kind: Organization.Kind
    /// The terms to which the classes of the files can belong.
    package let terms: [String]
    package let locations: LocationChoices
    /// How large the files may be together.
    package let bytesMax: Int
    package let failure: OperationFailure?

    package init(
        desk: Desk, kind: Organization.Kind, terms: [String], locations: LocationChoices, bytesMax: Int,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.kind = kind
        self.terms = terms
        self.locations = locations
        self.bytesMax = bytesMax
        self.failure = failure
    }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { Sentence("consoleImports.uploadHeading") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var lead: Sentence? { Sentence("consoleImports.uploadLead") }

    package var parts: [Part] {
        var fields = [
            ConsoleField.roster(
                Sentence(kind == .school ? "consoleImports.files" : "consoleImports.staffFile"), bytesMax: bytesMax,
                hint: Sentence(kind == .school ? "consoleImports.filesHint" : "consoleImports.staffFileHint"))
        ]
        if kind == .school, !terms.isEmpty {
            fields.append(
                ConsoleField(
                    "term",
                    .choice([.init("", Sentence("consoleImports.termNone"))] + terms.map { .init($0, .named($0)) }),
                    Sentence("consoleImports.term"), hint: Sentence("consoleImports.termHint")))
        }
        if kind == .school, locations.areSeveral {
            fields.append(
                locations.field(
                    "school", Sentence("consoleImports.whose"), nowhere: Sentence("consoleImports.everybody"),
                    hint: Sentence("consoleImports.schoolHint")))
        }
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(section.path)/upload", hasFiles: true), fields, button: Sentence("consoleImports.check"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: section.path)))
        ]
    }
}

extension ConsoleField {
    /// A field for the files of a roster.
    static func roster(_ label: Sentence, bytesMax: Int, hint: Sentence) -> ConsoleField {
        ConsoleField(
            "files",
            .files(
                accept: ".zip,.csv", bytesMax: bytesMax,
                excess: Sentence("consoleImports.excess", ["megabytes": .count(bytesMax >> 20)])),
            label, hint: hint, isRequired: true)
    }
}
