import Administration
import ArgumentParser
import CommandOutput

struct ClassSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a class and its members.",
        discussion: """
            What an import writes is changed in the school's records, because the next import would bring it back. An \
            empty value removes one: --room "".

            For example:
              lanyard class set "Chess club" --room 12 --add-student ana.nunez@maple.example
            """,
        aliases: ["edit"])

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var rosterClass: ClassArgument

    @Option(help: "The new name.")
    var name: String?

    @Option(help: "The name that people see in its place.")
    var displayName: String?

    @Option(name: .customLong("number"), help: "The number of the class in the timetable.")
    var classNumber: String?

    @Option(help: "The room.")
    var room: String?

    @Option(help: "Where it is from now on: a location's id or name.")
    var at: String?

    @Option(help: "The term with which it goes, by its exact name.")
    var term: String?

    @Option(help: "Who teaches it from now on, in place of all others. May be repeated; the first one comes first.")
    var instructor: [String] = []

    @Option(help: "Who comes into it. May be repeated.")
    var addStudent: [String] = []

    @Option(help: "Who leaves it. May be repeated.")
    var removeStudent: [String] = []

    func validate() throws {
        let values = [name, displayName, classNumber, room, at, term].compactMap(\.self)
        guard !values.isEmpty || !(instructor + addStudent + removeStudent).isEmpty else {
            throw ValidationError(
                """
                Say what to change: --name, --display-name, --number, --room, --at, --term, --instructor, \
                --add-student, --remove-student.
                """)
        }
    }

    func run() async throws {
        func references(_ texts: [String]) -> [PersonReference]? {
            texts.isEmpty ? nil : texts.map(PersonReference.init)
        }
        var change = EditClass(class: rosterClass.reference)
        change.name = name
        change.displayName = displayName
        change.classNumber = classNumber
        change.room = room
        change.at = at.map(LocationReference.init)
        change.term = term.map(TermReference.init)
        change.instructors = references(instructor)
        change.addStudents = references(addStudent)
        change.removeStudents = references(removeStudent)
        let report = try await rosterClass.perform(change, global)
        try output.print(report) { "Changed.\n\n\(report.text)" }
    }
}
