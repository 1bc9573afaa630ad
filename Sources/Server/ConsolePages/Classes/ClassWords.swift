import Administration
import Directory
import Ground
import ServerPages

/// How the console speaks of a class.
package enum ClassWords {
    package static func path(of number: Int64) -> String { "\(ConsoleSection.classes.path)/CL-\(number)" }

    /// The path of the page on which the pupils of a class get passwords. For teachers it names no role, because they
    /// reach nobody but pupils in a class anyway.
    static func passwordsPath(of number: Int64, _ desk: Desk) -> String {
        let fields =
            [FormField("class", "CL-\(number)")]
            + (desk.isTeachers ? [] : [FormField("role", Role.student.rawValue)])
        return "\(GivePasswordsPage.path)?\(FormEncoding.encode(fields))"
    }

    static func name(_ name: String, _ displayName: String?) -> String { displayName ?? name }

    /// Classes in a list.
    static func table(
        _ classes: [ClassSummary], isArchived: Bool, empty: Sentence = Sentence("consoleClasses.none"),
        emptyLink: ConsoleLink? = nil, next: String? = nil, first: String? = nil,
        bulk: (target: ConsoleForm.Target, actions: [Table.BulkAction])? = nil, wholeList: Sentence? = nil
    ) -> Table {
        Table(
            Sentence("consoleClasses.heading"),
            [
                .init(Sentence("consoleClasses.name")), .init(Sentence("consoleClasses.number")),
                .init(Sentence("consolePeople.location")), .init(Sentence("consoleClasses.term")),
                .init(Sentence("consoleClasses.instructors"), isNumber: true),
                .init(Sentence("consoleClasses.students"), isNumber: true),
            ] + (isArchived ? [.init(Sentence("consoleClasses.archivedOn"))] : []),
            classes.map { one in
                let name = ClassWords.name(one.name, one.displayName)
                return .init(
                    [
                        .link(name, to: path(of: one.number)),
                        one.classNumber.map(Cell.text) ?? .nothing, one.location.map(Cell.text) ?? .nothing,
                        one.term.map(Cell.text) ?? .nothing, .count(one.instructors), .count(one.students),
                    ] + (isArchived ? [one.archivedAt.map(Cell.day) ?? .nothing] : []),
                    choice: ("CL-\(one.number)", name))
            },
            empty: empty, emptyLink: emptyLink, next: next, first: first, bulk: bulk, wholeList: wholeList)
    }
}
