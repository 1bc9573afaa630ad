import Administration
import Directory
import ServerPages

/// What is done with a location on a press of a button, after the page has said what follows.
package enum LocationAction: String, CaseIterable, Sendable {
    case remove, restore

    /// - Parameter name: nil for several locations.
    package func heading(of name: String?) -> Sentence {
        name.map { Sentence("consoleLocations.\(rawValue)Heading", ["name": .text($0)]) }
            ?? Sentence("consoleLocations.\(rawValue)SeveralHeading")
    }

    /// Whether it is done with removed locations, or with the others.
    var needsRemoved: Bool { self == .restore }

    /// Imports bring back, and archive again, what they have brought: only those of schools have locations.
    /// - Parameter location: nil for several locations.
    package func consequences(for location: LocationRecord?, _ preview: Preview, at desk: Desk) -> [Sentence] {
        let deciding = preview.counts[AuditEntry.Action.personChanged.rawValue] ?? 0
        let isImported = location.map { $0.source == .csv } ?? desk.isSchool
        let words = "consoleLocations.\(rawValue)\(location == nil ? "Several" : "")"
        guard self == .remove else {
            return [Sentence("\(words)Text")] + (isImported ? [Sentence("\(words)Imported")] : [])
        }
        return [desk.sentence("\(words)Text")]
            + (location == nil ? [Sentence("consoleLocations.removeInUse")] : [])
            + (desk.isSchool ? [Sentence("consoleLocations.removeRules")] : [])
            + (isImported ? [Sentence("\(words)Imported")] : [])
            + (deciding > 0 ? [Sentence("consoleLocations.removeDeciding", ["count": .count(deciding)])] : [])
    }

    package var button: Sentence { Sentence("consoleLocations.\(rawValue)") }

    static let sentences = allCases.flatMap { action in
        ["", "Heading", "Text", "Imported", "SeveralHeading", "SeveralText", "SeveralImported"].map {
            Sentence("consoleLocations.\(action.rawValue)\($0)")
        }
    }
}

/// What has to be moved or closed before a location is removed, each with the page on which that is done.
package struct LocationInUsePage: ConsolePage {
    package let desk: Desk
    package let found: ShowLocation.Answer

    package init(desk: Desk, found: ShowLocation.Answer) {
        self.desk = desk
        self.found = found
    }

    private var path: String { LocationPage.path(of: found.location.number) }

    package var section: ConsoleSection { .locations }
    package var heading: Sentence { LocationAction.remove.heading(of: found.location.name) }
    package var parent: ConsoleLink? { ConsoleLink(.named(found.location.name), to: path) }

    package var parts: [Part] {
        [
            .message(.warning, Sentence("consoleLocations.inUse")),
            .table(
                Table(
                    Sentence("consoleLocations.inUseCaption"),
                    [
                        .init(Sentence("consoleLocations.what")), .init(Sentence("consoleLocations.number")),
                        .init(Sentence("consoleLocations.toDo")),
                    ],
                    rows, empty: Sentence("consoleLocations.none"))),
            .links([ConsoleLink(Sentence("console.cancel"), to: path)]),
        ]
    }

    private var rows: [Table.Row] {
        let (use, at) = (found.use, "?at=\(found.location.id)")
        func row(_ what: Sentence, _ number: Int, _ toDo: String, _ page: String, _ privilege: Privilege) -> [Table.Row]
        {
            guard number > 0 else { return [] }
            return [
                .init([
                    desk.may(privilege) ? .phrase(what, to: page) : .sentence(what),
                    .count(number, upTo: LocationUse.countedMax),
                    .sentence(Sentence("consoleLocations.toDo_\(toDo)")),
                ])
            ]
        }
        return row(
            Sentence("consolePeople.heading"), use.people, "people", "\(ConsoleSection.people.path)\(at)", .readPeople)
            + row(
                Sentence("consoleClasses.heading"), use.classes, "classes", "\(ConsoleSection.classes.path)\(at)",
                .readPeople)
            + row(Sentence("consoleTerms.heading"), use.terms.count, "terms", TermsPage.path, .manageClasses)
            + row(Sentence("consolePickUps.heading"), use.pickUps.count, "pickUps", PickUpsPage.path, .importRoster)
            + row(
                ConsoleSection.imports.label, use.heldImports.count, "imports", ConsoleSection.imports.path,
                .importRoster)
    }

    static let sentences = ["people", "classes", "terms", "pickUps", "imports"].map {
        Sentence("consoleLocations.toDo_\($0)")
    }
}
