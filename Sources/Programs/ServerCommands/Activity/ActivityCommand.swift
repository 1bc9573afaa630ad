import Administration
import ArgumentParser
import CommandOutput
import Directory

struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Show how often people have signed in, and how many records apps have read, day by day.",
        discussion: """
            Days are in UTC. What happened within the last minute can be missing. Who it was is in `lanyard audit list`.

            For example:
              lanyard activity --days 7
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "How many days back, today included: 1 to 366.")
    var days = 30

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ShowActivity(days: days), in: organization.reference)
        }
        try output.print(answer) {
            let byDay = Table.text(
                ["DAY", "SIGN-INS", "RECORDS READ"],
                answer.days.map { [$0.day.text, "\($0.signIns)", "\($0.recordsRead)"] })
            guard !answer.apps.isEmpty else { return byDay }
            let byApp = Table.text(
                ["APP", "RECORDS READ"], answer.apps.map { [$0.name ?? "app:\($0.app)", "\($0.recordsRead)"] })
            return "\(byDay)\n\n\(byApp)"
        }
    }
}
