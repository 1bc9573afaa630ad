import Administration
import Directory
import Ground
import ServerPages

/// Who has read the data of a person: what parents ask.
package struct ReadersPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    package let answer: ListReaders.Answer
    /// Where the page begins; nil for the first one.
    package let before: Int?

    package init(desk: Desk, person: PersonRecord, answer: ListReaders.Answer, before: Int?) {
        self.desk = desk
        self.person = person
        self.answer = answer
        self.before = before
    }

    private var path: String { "\(PersonWords.path(of: person.number))/readers" }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.readersHeading", ["name": .text(person.fullName)]) }
    package var lead: Sentence? { Sentence("consolePerson.readersLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleReaders.who")), .init(Sentence("consoleReaders.day")),
                        .init(Sentence("consoleReaders.way")), .init(Sentence("consoleReaders.fields")),
                        .init(Sentence("consoleReaders.certain")),
                    ],
                    answer.readings.map(row),
                    empty: Sentence(
                        answer.next == nil && before == nil ? "consoleReaders.none" : "consoleReaders.noneHere"),
                    next: answer.next.map { "\(path)?\(FormEncoding.encode([FormField("before", "\($0)")]))" },
                    first: before.map { _ in path }))
        ]
    }

    private func row(_ reading: Reading) -> Table.Row {
        .init([
            reader(reading.reader), .day(reading.at), .sentence(Sentence("consoleReaders.way_\(reading.way.key)")),
            reading.way == .administration || reading.way == .export
                ? .sentence(Sentence("consoleReaders.record"))
                : .chips(reading.fields.map(Self.word)),
            .mark(
                reading.isCertain ? .notice : .warning,
                Sentence(reading.isCertain ? "consoleReaders.certainYes" : "consoleReaders.certainNo")),
        ])
    }

    private func reader(_ id: String) -> Cell {
        if let name = answer.names[id] { return .text(name) }
        return id == Actor.operator.text ? .sentence(Sentence("consoleReaders.operator")) : .text(id)
    }

    /// What a field is called, if the catalogues of the document for parents have a word for it; otherwise its own
    /// name.
    private static func word(_ field: String) -> Sentence {
        PersonDataPage.columnNames.contains(field) ? Sentence("dataColumn.\(field)") : .named(field)
    }

    static let sentences = Reading.Way.allCases.map { Sentence("consoleReaders.way_\($0.key)") }
}

extension Reading.Way {
    fileprivate var key: String { self == .signIn ? "signIn" : rawValue }
}
