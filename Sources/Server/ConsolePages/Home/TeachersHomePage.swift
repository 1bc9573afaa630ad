import Administration
import ServerPages

/// The desk of a teacher: the own classes, with passwords for their pupils, and nothing else.
package struct TeachersHomePage: ConsolePage {
    package let desk: Desk
    package let found: ListClasses.Answer
    package let after: Int64?

    package init(desk: Desk, found: ListClasses.Answer, after: Int64?) {
        self.desk = desk
        self.found = found
        self.after = after
    }

    package var section: ConsoleSection { .home }
    package var heading: Sentence { Sentence("consoleTeacher.heading") }
    package var lead: Sentence? { givesPasswords ? Sentence("consoleTeacher.lead") : nil }

    private var givesPasswords: Bool { desk.may(.issuePasswords) }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleClasses.name")), .init(Sentence("consolePeople.location")),
                        .init(Sentence("consoleClasses.term")),
                        .init(Sentence("consoleClasses.students"), isNumber: true),
                    ] + (givesPasswords ? [.init(Sentence("consoleTeacher.passwords"))] : []),
                    found.classes.map { one in
                        .init(
                            [
                                .link(ClassWords.name(one.name, one.displayName), to: ClassWords.path(of: one.number)),
                                one.location.map(Cell.text) ?? .nothing, one.term.map(Cell.text) ?? .nothing,
                                .count(one.students),
                            ] + (givesPasswords ? [passwords(of: one)] : []))
                    },
                    empty: Sentence("consoleTeacher.none"),
                    next: found.next.map { "\(section.path)?after=\($0)" }, first: after.map { _ in section.path }))
        ]
    }

    private func passwords(of one: ClassSummary) -> Cell {
        one.students == 0
            ? .nothing : .phrase(Sentence("consoleTeacher.print"), to: ClassWords.passwordsPath(of: one.number, desk))
    }
}
