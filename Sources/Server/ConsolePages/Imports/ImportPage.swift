import Administration
import Directory
import RosterFiles
import ServerPages

/// An import that was applied.
package struct ImportPage: ConsolePage {
    package let desk: Desk
    package let shown: ShowImport.Answer
    package let applied: ImportSummary
    /// The earlier imports with which its files can be compared.
    package let others: [ImportSummary]

    package init(desk: Desk, shown: ShowImport.Answer, applied: ImportSummary, others: [ImportSummary]) {
        self.desk = desk
        self.shown = shown
        self.applied = applied
        self.others = others
    }

    private var path: String { ImportWords.path(of: applied.number) }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { ImportWords.name(of: applied.number) }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] {
        shown.canBeTakenBack ? [ConsoleLink(Sentence("consoleImports.takeBack"), to: "\(path)/undo")] : []
    }

    /// Why it cannot be taken back: a later import that has touched the same records, and some of them.
    private var touchedLater: Fact? {
        guard let later = shown.touchedLater.first?.importID else { return nil }
        let records = shown.touchedLater.map { one in one.classID.map { "\(one.id) – \($0)" } ?? one.id }
        return Fact(
            Sentence("consoleImports.takeBack"),
            .sentence(
                Sentence(
                    "consoleImports.touchedLater",
                    ["number": .text("\(later)"), "records": .text(records.joined(separator: ", "))])))
    }

    package var parts: [Part] {
        var parts: [Part] = [
            .facts(
                [
                    Fact(
                        Sentence("consoleImports.state"),
                        applied.undoneAt == nil
                            ? .mark(.success, Sentence("consoleImports.applied"))
                            : .mark(.warning, Sentence("consoleImports.takenBack"))),
                    Fact(Sentence("consoleImports.day"), .day(applied.at)),
                    Fact(Sentence("consoleImports.whose"), ImportWords.schools(shown.schools)),
                ] + (shown.term.map { [Fact(Sentence("consoleImports.term"), .text($0))] } ?? [])
                    + [
                        Fact(
                            Sentence("consoleImports.keptFiles"),
                            .sentence(
                                applied.filesAreKept
                                    ? Sentence("consoleImports.areKept", ["count": .count(ImportFiles.days)])
                                    : Sentence("consoleImports.areGone")))
                    ] + (touchedLater.map { [$0] } ?? [])), .table(ReportTable.table(applied.effects, at: desk)),
        ]
        if applied.filesAreKept, !others.isEmpty {
            parts += [
                .heading(Sentence("consoleImports.compare"), Sentence("consoleImports.compareLead")),
                .form(
                    ConsoleForm(
                        .init("\(path)/compare", isQuery: true),
                        [
                            ConsoleField(
                                "from",
                                .choice(others.map { .init("\($0.number)", ImportWords.name(of: $0.number)) }),
                                Sentence("consoleImports.with"))
                        ], button: Sentence("consoleImports.compareButton"), isLine: true)),
            ]
        }
        if let report = shown.report, !report.warnings.isEmpty { parts += ReportTable.warnings(report, at: path) }
        return parts
    }
}

/// Asks before an import is taken back.
package struct UndoImportPage: ConsolePage {
    package let desk: Desk
    package let applied: ImportSummary

    package init(desk: Desk, applied: ImportSummary) {
        self.desk = desk
        self.applied = applied
    }

    private var path: String { ImportWords.path(of: applied.number) }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence {
        Sentence("consoleImports.takeBackHeading", ["number": .text("\(applied.number)")])
    }
    package var parent: ConsoleLink? { ConsoleLink(ImportWords.name(of: applied.number), to: path) }

    package var parts: [Part] {
        func people(_ count: (ImportSummary.Effects) -> Int) -> Value {
            .count(["students", "staff"].compactMap { applied.effects[$0] }.map(count).reduce(0, +))
        }
        return [
            .points([
                Sentence("consoleImports.takeBackAdded", ["count": people(\.added)]),
                Sentence("consoleImports.takeBackChanged", ["count": people(\.changed)]),
                Sentence("consoleImports.takeBackLeft", ["count": people(\.deactivated)]),
                desk.sentence("consoleImports.takeBackStays"),
            ]),
            .message(
                .warning,
                Sentence(
                    applied.filesAreKept ? "consoleImports.takeBackFinal" : "consoleImports.takeBackFinalGone")),
            .form(
                ConsoleForm(
                    .init("\(path)/undo", [("confirmed", "yes")]), [], button: Sentence("consoleImports.takeBack"),
                    isDangerous: true, cancel: ConsoleLink(Sentence("console.cancel"), to: path))),
        ]
    }
}

/// In what the files of two imports differ.
package struct ComparisonPage: ConsolePage {
    package let desk: Desk
    package let later: Int64
    package let earlier: Int64
    package let difference: RosterDifference

    package init(desk: Desk, later: Int64, earlier: Int64, difference: RosterDifference) {
        self.desk = desk
        self.later = later
        self.earlier = earlier
        self.difference = difference
    }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence {
        Sentence("consoleImports.compareHeading", ["later": .text("\(later)"), "earlier": .text("\(earlier)")])
    }
    package var parent: ConsoleLink? {
        ConsoleLink(ImportWords.name(of: later), to: ImportWords.path(of: later))
    }

    package var parts: [Part] {
        let files = RosterFile.allCases.compactMap { file in
            difference.counts[file.rawValue].map { (file, $0) }
        }
        return [
            .table(
                Table(
                    Sentence("consoleImports.numbers"),
                    [.init(Sentence("consoleImports.file"))]
                        + Self.columns.map { .init(Sentence("consoleImports.\($0)"), isNumber: true) },
                    files.map { file, counts in
                        Table.Row(
                            [.text(file.name)]
                                + [counts.added, counts.removed, counts.changed, counts.unchanged].map(Cell.count))
                    }, empty: Sentence("consoleImports.sameFiles"))),
            .heading(Sentence("consoleImports.rows"), Sentence("consoleImports.rowsLead")),
            .table(
                Table(
                    Sentence("consoleImports.rows"),
                    [
                        .init(Sentence("consoleImports.row")), .init(Sentence("consoleImports.place")),
                        .init(Sentence("consoleImports.becomes")), .init(Sentence("consoleImports.differs")),
                    ],
                    difference.rows.map { row in
                        Table.Row([
                            .verbatim(row.id), .text("\(row.file.name):\(row.line)"),
                            .sentence(Sentence("consoleImports.row_\(row.kind.rawValue)")),
                            .verbatim(
                                row.columns.map { "\($0.name): \($0.before ?? "–") → \($0.after ?? "–")" }
                                    .joined(separator: "; ")),
                        ])
                    }, empty: Sentence("consoleImports.sameFiles"))),
        ]
    }

    private static let columns = ["rowsAdded", "rowsRemoved", "rowsChanged", "rowsSame"]

    static let sentences =
        columns.map { Sentence("consoleImports.\($0)") }
        + RosterDifference.Kind.allCases.map { Sentence("consoleImports.row_\($0.rawValue)") }
}
