import Administration
import ArgumentParser
import CommandOutput

struct RoleAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Give a person a role.",
        discussion: """
            With --from and --until it counts from one day to another, in whatever time zone; outside of them it gives \
            nothing. Given again, it gets the new days.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @OptionGroup var held: HeldRoleArguments

    @Option(help: "The first day, as 2026-09-01. [default: it counts at once]")
    var from: String?

    @Option(help: "The last day, as 2027-01-31. [default: it has no end]")
    var until: String?

    func run() async throws {
        let report = try await person.perform(
            { AddRole(person: $0, role: held.role, at: held.place, from: from, until: until) }, global)
        try output.print(report) { report.text }
    }
}
