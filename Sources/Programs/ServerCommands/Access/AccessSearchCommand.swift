import Administration
import ArgumentParser
import Authorization
import CommandOutput

struct AccessSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search among the apps that can be put on the list.",
        discussion: """
            For example:
              lanyard access search quiz --for sign-in
            """)

    @OptionGroup var options: AccessOptions

    @Argument(help: "What the name, client id or team contains; all apps if it is left out.")
    var text: String?

    @OptionGroup var page: PageOptions

    func run() async throws {
        let organization = options.organization.reference
        let (apps, next) = try await Deployment.administrate(options.global) { administrator in
            switch options.purpose.value {
            case .dataSharing:
                let found = try await administrator.ask(
                    SearchApps<DataSharing>(text: text, after: Int64(page.after), limit: page.limit), in: organization)
                return (found.apps, found.next)
            case .signIn:
                let found = try await administrator.ask(
                    SearchApps<SigningIn>(text: text, after: Int64(page.after), limit: page.limit), in: organization)
                return (found.apps, found.next)
            }
        }
        try options.output.print(Found(apps: apps, next: next)) {
            if apps.isEmpty { return "No app matches." }
            let table = Table.text(
                ["NAME", "TEAM", "CLIENT ID", "ON THE LIST"],
                apps.map { [$0.name, $0.team, $0.clientID, $0.isListed ? "yes" : "no"] })
            return table + PageOptions.hint(next.map(Int.init))
        }
    }

    private struct Found: Encodable {
        let apps: [FoundApp]
        let next: Int64?
    }
}
