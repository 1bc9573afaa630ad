import Administration
import Directory
import RosterFiles
import ServerPages

/// Begins the move to another information system: its files, or a map that was made by hand.
package struct IDMapPage: ConsolePage {
    package let desk: Desk
    package let bytesMax: Int
    package let failure: OperationFailure?

    package init(desk: Desk, bytesMax: Int, failure: OperationFailure? = nil) {
        self.desk = desk
        self.bytesMax = bytesMax
        self.failure = failure
    }

    package static let path = "\(ImportWords.path)/ids"

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { Sentence("consoleIDMaps.heading") }
    package var lead: Sentence? { Sentence("consoleIDMaps.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .heading(Sentence("consoleIDMaps.guess"), Sentence("consoleIDMaps.guessLead")),
            .form(
                ConsoleForm(
                    .init(Self.path, hasFiles: true),
                    [
                        .roster(
                            Sentence("consoleImports.files"), bytesMax: bytesMax,
                            hint: Sentence("consoleImports.filesHint"))
                    ], button: Sentence("consoleIDMaps.guessButton"))),
            .heading(Sentence("consoleIDMaps.map"), Sentence("consoleIDMaps.mapLead")),
            .form(
                ConsoleForm(
                    .init("\(Self.path)/map", hasFiles: true),
                    [ConsoleField("map", .file(accept: ".csv"), Sentence("consoleIDMaps.mapFile"), isRequired: true)],
                    button: Sentence("consoleIDMaps.mapButton"))),
        ]
    }
}

/// What the ids of the new system seem to mean, with a choice for each that is in doubt.
package struct IDMapChoicePage: ConsolePage {
    package let desk: Desk
    package let job: String
    package let proposal: IDMapProposal
    package let failure: OperationFailure?

    package init(desk: Desk, job: String, proposal: IDMapProposal, failure: OperationFailure? = nil) {
        self.desk = desk
        self.job = job
        self.proposal = proposal
        self.failure = failure
    }

    /// How many ids in doubt can be decided on the page. For the others, the file is filled in and sent.
    package static let choicesMax = 200

    private var path: String { "\(IDMapPage.path)/\(job)" }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { Sentence("consoleIDMaps.choiceHeading") }
    package var lead: Sentence? { Sentence("consoleIDMaps.choiceLead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleIDMaps.heading"), to: IDMapPage.path) }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("consoleIDMaps.download"), to: "\(path)/map.csv")] }

    package var parts: [Part] {
        func lines(_ certainty: IDMapProposal.Line.Certainty) -> [IDMapProposal.Line] {
            proposal.lines.filter { $0.certainty == certainty }
        }
        let (unsure, unmatched, sure) = (lines(.unsure), lines(.unmatched), lines(.sure))
        var parts = Part.refusals(failure)
        parts.append(
            .tiles([
                Tile(Sentence("consoleIDMaps.sure"), sure.count, to: nil),
                Tile(Sentence("consoleIDMaps.unsure"), unsure.count, to: nil),
                Tile(Sentence("consoleIDMaps.unmatched"), unmatched.count, to: nil),
            ]))
        if unsure.count > Self.choicesMax {
            parts.append(.message(.warning, Sentence("consoleIDMaps.tooMany", ["most": .count(Self.choicesMax)])))
        }
        if !sure.isEmpty || !unsure.isEmpty {
            parts.append(
                .form(
                    ConsoleForm(
                        .init("\(path)/apply"), unsure.prefix(Self.choicesMax).enumerated().map(choice),
                        button: Sentence("consoleIDMaps.goOn"),
                        cancel: ConsoleLink(Sentence("console.cancel"), to: section.path))))
        }
        if !unmatched.isEmpty {
            parts += [
                .heading(Sentence("consoleIDMaps.unmatchedHeading"), Sentence("consoleIDMaps.unmatchedLead")),
                .table(table(unmatched, Sentence("consoleIDMaps.unmatchedHeading"))),
            ]
        }
        if !sure.isEmpty {
            let heading = Sentence("consoleIDMaps.sureHeading")
            parts += [.heading(heading), .table(table(sure, heading))]
        }
        return parts
    }

    private func choice(_ index: Int, _ line: IDMapProposal.Line) -> ConsoleField {
        ConsoleField(
            "new-\(index)",
            .choice(
                [.init("", Sentence("consoleIDMaps.leave"))]
                    + line.candidates.map { candidate in
                        .init(
                            candidate.new,
                            Sentence(
                                "consoleIDMaps.candidate",
                                [
                                    "name": .text(candidate.name), "id": .text(candidate.new),
                                    "why": .text(candidate.why),
                                ]
                            ))
                    }),
            Sentence(
                "consoleIDMaps.line",
                ["name": .text(line.name), "id": .text(line.old), "kind": .sentence(Self.kind(line.kind))]))
    }

    private func table(_ lines: [IDMapProposal.Line], _ heading: Sentence) -> Table {
        Table(
            heading,
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consoleIDMaps.kind")),
                .init(Sentence("consoleIDMaps.old")), .init(Sentence("consoleIDMaps.new")),
            ],
            lines.prefix(50).map { line in
                Table.Row([
                    .text(line.name), .sentence(Self.kind(line.kind)), .text(line.old),
                    line.certainty == .sure ? .text(line.candidates[0].new) : .nothing,
                ])
            }, empty: Sentence("consoleImports.nobody"))
    }

    static func kind(_ kind: IDMove.Kind) -> Sentence { Sentence("consoleIDMaps.kind_\(kind.rawValue)") }

    static let sentences = IDMove.Kind.allCases.map(kind)

    /// The moves with what was chosen.
    /// - Parameter chosen: gives the new id that was chosen for a line in doubt, by its index among those lines; nil if
    ///   none was.
    package func moves(_ chosen: (_ index: Int) throws -> String?) rethrows -> [IDMove] {
        let unsure = proposal.lines.filter { $0.certainty == .unsure }.prefix(Self.choicesMax)
        let decided = try unsure.enumerated().compactMap { index, line in
            try chosen(index).flatMap { new in
                line.candidates.contains { $0.new == new } ? IDMove(line.kind, from: line.old, to: new) : nil
            }
        }
        return proposal.moves + decided
    }
}
