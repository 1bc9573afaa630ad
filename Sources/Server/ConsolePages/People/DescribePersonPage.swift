import Administration
import Foundation
import ServerPages

/// All that the server holds about a person, and how to take it along.
package struct DescribePersonPage: ConsolePage {
    /// The forms in which it can be had as a file.
    package enum File: String, CaseIterable, Sendable {
        case html, csv, json
    }

    package let desk: Desk
    package let person: PersonRecord
    package let data: PersonData

    package init(desk: Desk, person: PersonRecord, data: PersonData) {
        self.desk = desk
        self.person = person
        self.data = data
    }

    private var path: String { "\(PersonWords.path(of: person.number))/data" }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.dataHeading", ["name": .text(person.fullName)]) }
    package var lead: Sentence? { Sentence("consolePerson.dataLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }

    package var parts: [Part] {
        [
            .links(
                File.allCases.map {
                    ConsoleLink(Sentence("consolePerson.data_\($0.rawValue)"), to: "\(path)/\($0.rawValue)")
                })
        ]
            + data.sections.flatMap { section -> [Part] in
                [
                    .heading(
                        Sentence("dataTitle.\(section.name.rawValue)"), Sentence("dataAbout.\(section.name.rawValue)")),
                    section.rows.count == 1 ? .facts(facts(of: section)) : .table(table(of: section)),
                ] + more(of: section)
            }
    }

    /// How many rows of a section are shown; the files have all of them.
    private static let rowsMax = 20

    private func facts(of section: PersonData.Section) -> [Fact] {
        section.columns.compactMap { column in
            section.rows[0][column].map { Fact(Sentence("dataColumn.\(column)"), Self.cell($0)) }
        }
    }

    private func table(of section: PersonData.Section) -> Table {
        let columns = section.columns.filter { column in section.rows.contains { $0[column] != nil } }
        return Table(
            Sentence("dataTitle.\(section.name.rawValue)"), columns.map { .init(Sentence("dataColumn.\($0)")) },
            section.rows.prefix(Self.rowsMax).map { row in
                .init(columns.map { row[$0].map(Self.cell) ?? .nothing })
            },
            empty: Sentence("consolePerson.dataNone"))
    }

    private func more(of section: PersonData.Section) -> [Part] {
        let more = section.rows.count - Self.rowsMax
        return more > 0 ? [.text(Sentence("consolePerson.dataMore", ["count": .count(more)]))] : []
    }

    private static func cell(_ value: String) -> Cell {
        if PersonDataPage.words.contains(value) { return .sentence(Sentence("dataWord.\(value)")) }
        return (try? Date(value, strategy: .iso8601)).map(Cell.day) ?? .verbatim(value)
    }

    static let sentences = File.allCases.map { Sentence("consolePerson.data_\($0.rawValue)") }
}
