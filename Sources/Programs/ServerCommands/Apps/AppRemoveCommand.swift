import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct AppRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take an app off this server, and revoke what organizations have allowed it.",
        discussion: """
            It acts on the next call of the app, which gets its notifications once more. Its client ids are not given \
            to another app. This cannot be taken back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @Flag(help: "Remove it although organizations are connected to it.")
    var yes = false

    private struct Result: Encodable {
        let removed: String
        let revokedConsents: Int
    }

    func run() async throws {
        let selector = AppSelector(text: app)
        let isConfirmed = yes
        let result = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let app = try selector.find(in: transaction)
                let living = try Consent.list(livingOf: app.id, in: transaction)
                guard living.isEmpty || isConfirmed else {
                    let names = try living.compactMap {
                        try Organization.find($0.organizationID, in: transaction)?.name
                    }
                    throw Failure(
                        """
                        \(app.name) is connected to \(names.joined(separator: ", ")). Add --yes to remove it and revoke \
                        these consents.
                        """)
                }
                let revoked = try app.remove(
                    by: .operator, from: .commandLine, at: now, surroundings: deployment.surroundings, in: transaction)
                return Result(removed: app.name, revokedConsents: revoked?.count ?? 0)
            }
        }
        try output.print(result) {
            "Removed \(result.removed). Consents revoked: \(result.revokedConsents)."
        }
    }
}
