import Administration
import ArgumentParser
import CommandOutput

struct ClassAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a class by hand.",
        discussion: """
            Imports leave it alone, unless their files have a class of the same class id: then it is theirs.

            For example:
              lanyard class add "Chess club" --at high --instructor nadia.berg@maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The name.")
    var name: String

    @Option(help: "The name that people see in its place.")
    var displayName: String?

    @Option(name: .customLong("number"), help: "The number of the class in the timetable.")
    var classNumber: String?

    @Option(help: "The room.")
    var room: String?

    @Option(name: .customLong("class-id"), help: "The id in the school's own records.")
    var classID: String?

    @Option(help: "Where it is: a location's id or name. [default: the whole organization]")
    var at: String?

    @Option(help: "Who teaches it: user name, person id, or number. May be repeated; the first one comes first.")
    var instructor: [String] = []

    @Option(help: "Who learns in it. May be repeated.")
    var student: [String] = []

    func run() async throws {
        let change = AddClass(
            name: name, displayName: displayName, classNumber: classNumber, room: room, classID: classID,
            at: at.map(LocationReference.init), instructors: instructor.map(PersonReference.init),
            students: student.map(PersonReference.init))
        let report = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(report) { "Added.\n\n\(report.text)" }
    }
}
