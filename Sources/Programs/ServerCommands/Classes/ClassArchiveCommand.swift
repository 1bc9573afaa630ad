import Administration
import ArgumentParser
import CommandOutput

struct ClassArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Take a class from apps; it keeps its members.",
        discussion: """
            It stays in `lanyard class list --archived`, and `lanyard class restore` gives it back. An import whose files \
            still have it restores it too, and says so.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var rosterClass: ClassArgument

    func run() async throws {
        let report = try await rosterClass.perform(ArchiveClass(class: rosterClass.reference), global)
        try output.print(report) {
            "\(report.title) (CL-\(report.number)) is archived; apps do not see it any more."
                + (report.isDelivered
                    ? "\nThe files of the last import have it: the next import restores it, unless it is taken out there."
                    : "")
        }
    }
}

struct ClassRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Give an archived class back to apps, with its members.",
        discussion: "Imports leave it alone until their files have it again.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var rosterClass: ClassArgument

    func run() async throws {
        let report = try await rosterClass.perform(RestoreClass(class: rosterClass.reference), global)
        try output.print(report) {
            "\(report.title) (CL-\(report.number)) is back, with \(report.students.count) students."
        }
    }
}
