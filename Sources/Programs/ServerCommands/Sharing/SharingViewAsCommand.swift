import Administration
import ArgumentParser
import CommandOutput

struct SharingViewAsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-as", abstract: "Show what an app would get for a call: the very bytes.",
        discussion: """
            With --json the answer also has the numbers of the people whose records these are, and says whether the \
            app can read at present.

            For example:
              lanyard sharing view-as Quizzler "users?role=Student&limit=10"
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument

    @Argument(help: "Path and query below /rosterapi/v1/: users, users/ID, classes, classes/ID or classes/ID/users.")
    var call: String

    func run() async throws {
        let answer = try await Deployment.administrate(global, viewsRosters: true) {
            try await $0.ask(ViewAsApp(app: app.reference, call: call), in: app.organization.reference)
        }
        try output.print(answer) { answer.body }
    }
}
