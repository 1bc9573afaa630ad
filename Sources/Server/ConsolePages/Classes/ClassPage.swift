import Administration
import Directory
import Ground
import ServerPages

/// One class, with its members and what can be done with it.
package struct ClassPage: ConsolePage {
    package let desk: Desk
    package let record: ClassRecord
    /// The numbers of the members whose records the person may open; nil for all. A class can have members of other places,
    /// and teachers may not open the records of their colleagues: names of these are no links.
    package let open: Set<Int64>?
    /// What was typed into the form that adds pupils.
    package let typed: String
    package let failure: OperationFailure?
    /// Whether members were to be changed, and nobody was ticked or named.
    package let isNobodyChosen: Bool

    package init(
        desk: Desk, record: ClassRecord, open: Set<Int64>? = nil, typed: String = "", failure: OperationFailure? = nil,
        isNobodyChosen: Bool = false
    ) {
        self.desk = desk
        self.record = record
        self.open = open
        self.typed = typed
        self.failure = failure
        self.isNobodyChosen = isNobodyChosen
    }

    private var path: String { ClassWords.path(of: record.number) }
    private var isArchived: Bool { record.archivedAt != nil }
    private var manages: Bool { desk.may(.manageClasses) }

    package var section: ConsoleSection { desk.isTeachers ? .home : .classes }
    package var heading: Sentence { .named(ClassWords.name(record.name, record.displayName)) }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] {
        (desk.may(.issuePasswords) && !isArchived && !record.students.isEmpty
            ? [
                ConsoleLink(
                    Sentence("consolePeople.passwords"),
                    to: ClassWords.passwordsPath(of: record.number, desk))
            ] : [])
            + (manages && !isArchived ? [ConsoleLink(Sentence("consolePerson.edit"), to: "\(path)/edit")] : [])
    }

    package var parts: [Part] {
        var parts: [Part] = Part.refusals(failure)
        if isNobodyChosen { parts.append(.message(.warning, Sentence("consoleClasses.nobodyChosen"))) }
        if let archivedAt = record.archivedAt {
            parts.append(.message(.notice, Sentence("consoleClasses.isArchived", ["day": .day(archivedAt)])))
        }
        parts.append(.facts(facts))
        if manages {
            let actions = ClassAction.allCases.filter { $0.needsArchived == isArchived }
            let possible = actions.filter { $0.obstacle(for: record) == nil }
            if !possible.isEmpty {
                parts.append(.links(possible.map { ConsoleLink($0.button, to: "\(path)/\($0.rawValue)") }))
            }
            parts += actions.compactMap { $0.obstacle(for: record) }.map(Part.text)
        }
        parts += [
            .heading(Sentence("consoleClasses.instructors")), .table(instructors),
            .heading(Sentence("consoleClasses.students")), .table(students),
        ]
        let more = record.students.count - Self.shown
        if more > 0 {
            parts.append(.text(Sentence("consoleConfirm.more", ["count": .count(more)])))
        }
        if !record.students.isEmpty, !desk.isTeachers {
            parts.append(
                .links([
                    ConsoleLink(
                        Sentence("consoleClasses.inPeople"),
                        to:
                            "\(ConsoleSection.people.path)?\(FormEncoding.encode([FormField("class", "CL-\(record.number)")]))"
                    )
                ]))
        }
        if manages, !isArchived {
            parts.append(.heading(Sentence("consoleClasses.addStudents"), Sentence("consoleClasses.addStudentsLead")))
            parts.append(
                .form(
                    ConsoleForm(
                        .init("\(path)/students", [("version", record.version)]),
                        [
                            ConsoleField(
                                "addStudents", .lines, Sentence("consoleClasses.userNames"), value: typed,
                                hint: Sentence("consoleClasses.userNamesHint"), isRequired: true)
                        ], button: Sentence("consoleClasses.addStudents"))))
        }
        return parts
    }

    private var facts: [Fact] {
        func optional(_ key: String, _ text: String?) -> [Fact] {
            text.map { [Fact(Sentence("consoleClasses.\(key)"), .text($0))] } ?? []
        }
        return (record.displayName == nil ? [] : optional("name", record.name)) + optional("number", record.classNumber)
            + optional("room", record.room)
            + (record.location.map { [Fact(Sentence("consolePeople.location"), .text($0))] } ?? [])
            + optional("term", record.term) + (desk.isTeachers ? [] : optional("classID", record.classID) + upkeep)
    }

    /// What people need to know who look after the class: where the record comes from, and when it was changed.
    private var upkeep: [Fact] {
        [
            Fact(
                Sentence("consolePerson.source"), .sentence(Sentence("consolePerson.source_\(record.source.rawValue)"))),
            Fact(Sentence("consolePerson.changed"), .day(record.modifiedAt)),
        ]
    }

    private static let shown = 50

    private var instructors: Table {
        Table(
            Sentence("consoleClasses.instructors"),
            [.init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName"))],
            record.instructors.prefix(Self.shown).map { member in
                .init([link(member), member.userName.map(Cell.address) ?? .nothing])
            },
            empty: Sentence("consoleClasses.noInstructors"))
    }

    private var students: Table {
        let givesPasswords = desk.may(.issuePasswords) && !isArchived
        let canRemove = manages && !isArchived
        return Table(
            Sentence("consoleClasses.students"),
            [.init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName"))]
                + (givesPasswords ? [.init(Sentence("consolePerson.policy"))] : []),
            record.students.prefix(Self.shown).map { member in
                .init(
                    [link(member), member.userName.map(Cell.address) ?? .nothing]
                        + (givesPasswords
                            ? [
                                member.isDeactivated
                                    ? .mark(.danger, Sentence("consolePerson.state_deactivated"))
                                    : !isOpen(member)
                                        ? .nothing
                                        : .phrase(
                                            Sentence("consolePerson.password"),
                                            to: "\(PersonWords.path(of: member.number))/password")
                            ] : []),
                    choice: canRemove ? ("PE-\(member.number)", member.shownName) : nil)
            },
            empty: Sentence("consoleClasses.noStudents"),
            bulk: canRemove
                ? (
                    .init("\(path)/students", [("version", record.version)]),
                    [.init(Sentence("consoleClasses.removeStudents"), value: "remove")]
                ) : nil)
    }

    private func isOpen(_ member: ClassRecord.Member) -> Bool { open?.contains(member.number) ?? true }

    private func link(_ member: ClassRecord.Member) -> Cell {
        isOpen(member)
            ? .link(
                member.shownName, to: PersonWords.path(of: member.number),
                PersonWords.badge(member.shownName, member.number))
            : .text(member.shownName)
    }
}

extension ClassRecord.Member {
    /// The name, or the number for whoever may not read it.
    fileprivate var shownName: String { name ?? "PE-\(number)" }
}

/// What is done with one class or several on a press of a button, after the page has said what follows.
package enum ClassAction: String, CaseIterable, Sendable {
    case archive, restore, remove

    /// What is done with several classes at once. What nothing takes back is done with one at a time.
    package static let forSeveral: [ClassAction] = [.archive, .restore]

    /// - Parameter name: nil for several classes.
    package func heading(of name: String?) -> Sentence {
        name.map { Sentence("consoleClasses.\(rawValue)Heading", ["name": .text($0)]) }
            ?? Sentence("consoleClasses.\(rawValue)SeveralHeading")
    }

    /// Whether it is done with archived classes, or with the others.
    var needsArchived: Bool { self != .archive }

    /// - Parameter record: nil for several classes.
    package func consequences(for record: ClassRecord?) -> [Sentence] {
        guard let record else { return [Sentence("consoleClasses.\(rawValue)SeveralText")] }
        return [
            Sentence(
                "consoleClasses.\(rawValue)Text",
                ["count": .count(record.students.count + record.instructors.count)])
        ]
    }

    package var button: Sentence { Sentence("consoleClasses.\(rawValue)") }

    /// What has to be done first, because the operation would be refused now; nil if it would not.
    func obstacle(for record: ClassRecord) -> Sentence? {
        switch self {
        case .archive: nil
        case .restore:
            record.removedLocation.map { Sentence("consoleClasses.restoreLater", ["location": .text($0)]) }
        case .remove: record.isDelivered ? Sentence("consoleClasses.removeLater") : nil
        }
    }

    private func words(_ endings: [String]) -> [Sentence] {
        endings.map { Sentence("consoleClasses.\(rawValue)\($0)") }
    }

    static let sentences: [Sentence] =
        allCases.flatMap { $0.words(["", "Heading", "Text"]) }
        + forSeveral.flatMap { $0.words(["SeveralHeading", "SeveralText"]) }
}
