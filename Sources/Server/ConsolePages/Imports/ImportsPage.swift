import Administration
import Directory
import ServerPages

/// The imports of an organization: those that wait, and those that were applied.
package struct ImportsPage: ConsolePage {
    package let desk: Desk
    package let found: ListImports.Answer
    package let before: Int64?
    package let isSchool: Bool

    package init(desk: Desk, found: ListImports.Answer, before: Int64?, isSchool: Bool) {
        self.desk = desk
        self.found = found
        self.before = before
        self.isSchool = isSchool
    }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { section.label }
    package var actions: [ConsoleLink] {
        let upload = ConsoleLink(Sentence("consoleImports.upload"), to: "\(section.path)/upload")
        let ids = ConsoleLink(Sentence("consoleIDMaps.link"), to: "\(section.path)/ids")
        let pickUps = ConsoleLink(Sentence("consolePickUps.heading"), to: PickUpsPage.path)
        return [upload] + (desk.isSandbox ? [] : isSchool ? [pickUps, ids] : [pickUps])
    }

    package var parts: [Part] {
        var parts: [Part] = []
        if before == nil, !found.held.isEmpty {
            parts.append(
                .tasks(
                    found.held.map { held in
                        ToDo(
                            .danger, Sentence("consoleImports.waits", ["day": .day(held.at)]),
                            held.schools.map { .named($0.joined(separator: ", ")) },
                            link: ConsoleLink(Sentence("consoleImports.look"), to: "\(section.path)/\(held.planID)"))
                    }))
        }
        parts += [.heading(Sentence("consoleImports.history")), .table(table)]
        return parts
    }

    private var table: Table {
        let columns =
            [
                Table.Column(Sentence("consoleImports.import")), .init(Sentence("consoleImports.day")),
                .init(Sentence("consoleImports.whose")),
            ]
            + ["coming", "changing", "leaving"].map { .init(Sentence("consoleImports.\($0)"), isNumber: true) }
            + [.init(Sentence("consoleImports.state"))]
        return Table(
            Sentence("consoleImports.history"), columns,
            found.imports.map { one in
                func people(_ count: (ImportSummary.Effects) -> Int) -> Cell {
                    .count(["students", "staff"].compactMap { one.effects[$0] }.map(count).reduce(0, +))
                }
                return Table.Row([
                    .phrase(ImportWords.name(of: one.number), to: ImportWords.path(of: one.number)), .day(one.at),
                    ImportWords.schools(one.schools?.map(\.name)), people { $0.added + $0.reactivated },
                    people(\.changed), people(\.deactivated),
                    one.undoneAt == nil
                        ? .mark(.success, Sentence("consoleImports.applied"))
                        : .mark(.warning, Sentence("consoleImports.takenBack")),
                ])
            },
            empty: desk.sentence("consoleImports.none"),
            emptyLink: ConsoleLink(Sentence("consoleImports.upload"), to: "\(section.path)/upload"),
            next: found.next.map { "\(section.path)?before=\($0)" }, first: before.map { _ in section.path })
    }

    static let sentences = ["coming", "changing", "leaving"].map { Sentence("consoleImports.\($0)") }
}
