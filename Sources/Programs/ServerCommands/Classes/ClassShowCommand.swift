import Administration
import ArgumentParser
import CommandOutput

struct ClassShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a class with its members, archived or not.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var rosterClass: ClassArgument

    func run() async throws {
        let report = try await Deployment.administrate(global) {
            try await $0.ask(ShowClass(class: rosterClass.reference), in: rosterClass.organization.reference)
        }
        try output.print(report) { report.text }
    }
}

extension ClassRecord {
    /// What people call it.
    var title: String { displayName ?? name }

    var text: String {
        func names(_ members: [Member]) -> String {
            members.map { "\($0.shownName)\($0.isDeactivated ? ", deactivated" : "")" }
                .joined(separator: "; ")
        }
        return Table.fields([
            ("Name", name),
            ("Display name", displayName),
            ("Number", "CL-\(number)"),
            ("Class id", classID),
            ("Class number", classNumber),
            ("Location", location ?? "none: the whole organization"),
            ("Room", room),
            ("Term", term),
            ("State", archivedAt.map { "archived since \($0.minuteText) UTC" } ?? "apps see it"),
            ("Kept up by", isDelivered ? "the import" : "hand"),
            ("Instructors", instructors.isEmpty ? "none" : names(instructors)),
            ("Students", students.isEmpty ? "none" : "\(students.count): \(names(students))"),
            ("Made", "\(createdAt.minuteText) UTC"),
            ("Changed", "\(modifiedAt.minuteText) UTC"),
        ])
    }
}

extension ClassRecord.Member {
    /// The name with the user name, or the number for whoever may read neither.
    fileprivate var shownName: String {
        if let name, let userName { "\(name) (\(userName))" } else { "PE-\(number)" }
    }
}
