import Administration
import RosterFiles
import ServerPages

/// What an import that waits would do, with names and numbers, the button that lets it, and the one that gives it up.
package struct ImportPlanPage: ConsolePage {
    package let desk: Desk
    package let plan: ShowImport.Answer
    package let effect: PlannedPerson.Effect?
    package let after: Int?
    /// What was entered for the approval, by the names of the fields.
    package let typed: [String: String]
    package let failure: OperationFailure?

    /// The names of the fields of the approval.
    package static let names = ["name", "identities"]

    /// - Parameter plan: of an import that waits.
    package init(
        desk: Desk, plan: ShowImport.Answer, effect: PlannedPerson.Effect? = nil, after: Int? = nil,
        typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.plan = plan
        self.effect = effect
        self.after = after
        self.typed = typed
        self.failure = failure
    }

    private var path: String { "\(ImportWords.path)/\(plan.planID ?? "")" }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { Sentence("consoleImports.planHeading") }
    package var lead: Sentence? { Sentence("consoleImports.planLead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        var parts = Part.refusals(failure)
        parts.append(
            .facts(
                [
                    Fact(Sentence("consoleImports.came"), .day(plan.at)),
                    Fact(Sentence("consoleImports.whose"), ImportWords.schools(plan.schools)),
                ] + (plan.term.map { [Fact(Sentence("consoleImports.term"), .text($0))] } ?? [])))
        guard let report = plan.report else {
            return parts + [.message(.warning, Sentence("consoleImports.notKept"))] + discarding
        }
        parts.append(.table(ReportTable.table(report.counts, at: desk)))
        let reasons = report.held.filter { $0.rule != .requested }
        if !reasons.isEmpty {
            parts += [.heading(Sentence("consoleImports.why")), .points(reasons.map(ImportWords.reason))]
        }
        if !report.identities.listed.isEmpty { parts += identities(report.identities) }
        parts += [.heading(Sentence("consoleImports.approveHeading")), .form(approval)]
        if let listing = report.listing { parts += people(listing) }
        if !report.warnings.isEmpty { parts += ReportTable.warnings(report, at: path) }
        return parts + discarding
    }

    /// The other way out, last on the page: nobody is to press it for the one above.
    private var discarding: [Part] {
        [
            .heading(Sentence("consoleImports.discardHeading"), Sentence("consoleImports.discardLead")),
            .form(
                ConsoleForm(
                    .init("\(path)/discard"), [], button: Sentence("consoleImports.discard"), isDangerous: true)),
        ]
    }

    /// Whether the plan is held because of what it would change, so that the organization's name has to be typed before
    /// it is approved.
    package var needsName: Bool {
        plan.report?.held.contains { ![.requested, .staleApproval].contains($0.rule) } ?? true
    }

    /// Whether ids would pass to people who seem to be others, which needs an approval of its own.
    package var concernsIdentities: Bool { plan.report?.held.contains { $0.rule.concernsIdentities } ?? false }

    private var approval: ConsoleForm {
        var fields: [ConsoleField] = []
        if concernsIdentities {
            fields.append(
                ConsoleField(
                    "identities", .boxes([.init("yes", Sentence("consoleImports.sameAccounts"))]),
                    Sentence("consoleImports.identities"), value: typed["identities"] ?? ""))
        }
        if needsName {
            fields.append(
                ConsoleField(
                    "name", .verbatim,
                    Sentence("consoleImports.typeName", ["name": .text(desk.organization.name)]),
                    value: typed["name"] ?? "", isRequired: true))
        }
        return ConsoleForm(
            .init("\(path)/approve"), fields, button: Sentence("consoleImports.approve"), isDangerous: needsName,
            cancel: ConsoleLink(Sentence("consoleImports.later"), to: section.path))
    }

    private func identities(_ changes: IdentityChanges) -> [Part] {
        [
            .heading(Sentence("consoleImports.identities"), Sentence("consoleImports.identitiesLead")),
            .table(
                Table(
                    Sentence("consoleImports.identities"),
                    [
                        .init(Sentence("consoleImports.formerName")), .init(Sentence("consoleImports.newName")),
                        .init(Sentence("consoleImports.personID")), .init(Sentence("consoleImports.place")),
                    ],
                    changes.listed.prefix(50).map { change in
                        Table.Row([
                            .text(change.formerName), .text(change.name), .text(change.personID),
                            .text("\(change.file):\(change.line)"),
                        ])
                    }, empty: Sentence("consoleImports.noDefects"))),
        ]
    }

    private func people(_ listing: PlanListing) -> [Part] {
        let all = ConsoleField.Option("", Sentence("consolePeople.all"))
        func page(after: Int?) -> String {
            let words = [effect.map { "effect=\($0.rawValue)" }, after.map { "after=\($0)" }].compactMap(\.self)
            return words.isEmpty ? path : "\(path)?\(words.joined(separator: "&"))"
        }
        return [
            .heading(Sentence("consoleImports.people"), Sentence("consoleImports.peopleLead")),
            .form(
                ConsoleForm(
                    .init(path, isQuery: true),
                    [
                        ConsoleField(
                            "effect",
                            .choice(
                                [all]
                                    + PlannedPerson.Effect.allCases.map { .init($0.rawValue, ImportWords.effect($0)) }),
                            Sentence("consoleImports.becomes"), value: effect?.rawValue ?? "")
                    ], button: Sentence("consolePeople.show"), isLine: true)),
            .table(
                Table(
                    Sentence("consoleImports.people"),
                    [
                        .init(Sentence("consolePeople.name")), .init(Sentence("consoleImports.becomes")),
                        .init(Sentence("consolePeople.location")), .init(Sentence("consoleImports.differs")),
                        .init(Sentence("consoleImports.place")),
                    ],
                    listing.people.map { person in
                        Table.Row([
                            .text(person.name), ImportWords.mark(person.effect),
                            .text(person.schools.joined(separator: ", ")),
                            .lines(person.changes.map { "\($0.field): \($0.before ?? "–") → \($0.after ?? "–")" }),
                            person.file.map { .text("\($0):\(person.line ?? 1)") } ?? .nothing,
                        ])
                    }, empty: Sentence("consoleImports.nobody"), next: listing.next.map { page(after: $0) },
                    first: after.map { _ in page(after: nil) })),
        ]
    }
}

/// The numbers of an import.
enum ReportTable {
    static func table(_ counts: ImportCounts, at desk: Desk) -> Table {
        table(
            types(at: desk).map { type in
                let count = counts[type]
                return (type, [count.inFile, count.added, count.changed, count.reactivated, count.deactivated])
            })
    }

    static func table(_ effects: [String: ImportSummary.Effects], at desk: Desk) -> Table {
        table(
            types(at: desk).compactMap { type in
                effects[type.rawValue].map {
                    (type, [$0.inFile, $0.added, $0.changed, $0.reactivated, $0.deactivated])
                }
            })
    }

    /// A business has a file of its people alone.
    private static func types(at desk: Desk) -> [RecordType] { desk.isSchool ? RecordType.allCases : [.staff] }

    private static let columns = ["inFiles", "coming", "changing", "returning", "leaving"]

    private static func table(_ rows: [(type: RecordType, numbers: [Int])]) -> Table {
        Table(
            Sentence("consoleImports.numbers"),
            [.init(Sentence("consoleImports.records"))]
                + columns.map { .init(Sentence("consoleImports.\($0)"), isNumber: true) },
            rows.map { row in Table.Row([.sentence(ImportWords.type(row.type))] + row.numbers.map(Cell.count)) },
            empty: Sentence("consoleImports.nobody"))
    }

    static func warnings(_ report: ImportReport, at path: String) -> [Part] {
        var parts: [Part] = [
            .heading(Sentence("consoleImports.warnings"), Sentence("consoleImports.warningsLead")),
            .table(
                Table(
                    Sentence("consoleImports.warnings"),
                    [
                        .init(Sentence("consoleImports.place")), .init(Sentence("consoleImports.wrong")),
                        .init(Sentence("consoleImports.remedy")),
                        .init(Sentence("consoleImports.times"), isNumber: true),
                    ],
                    report.warnings.prefix(50).map { group in
                        Table.Row([
                            .text(
                                [group.example.file, group.example.line.map(String.init)].compactMap(\.self)
                                    .joined(separator: ":")), .english(group.example.message),
                            .english(group.example.remedy), .count(group.count),
                        ])
                    }, empty: Sentence("consoleImports.noDefects"))),
        ]
        parts += DefectTable.omission(of: report)
        parts.append(.links([ConsoleLink(Sentence("consoleImports.download"), to: "\(path)/defects.csv")]))
        return parts
    }

    static let sentences = columns.map { Sentence("consoleImports.\($0)") }
}
