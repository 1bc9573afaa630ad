import Administration
import ArgumentParser
import CommandOutput
import Directory

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

    func run() async throws {
        let isConfirmed = yes
        let answer = try await Deployment.administrate(global) { administrator in
            let change = RemoveApp(app: AppReference(app))
            let preview = try await administrator.preview(change)
            let connected = preview.effects.filter { $0.action == AuditEntry.Action.consentRevoked.rawValue }
            guard connected.isEmpty || isConfirmed else {
                throw Failure(
                    """
                    \(preview.effects[0].name) is connected to \(connected.map(\.name).joined(separator: ", ")). Add --yes \
                    to remove it and revoke these consents.
                    """)
            }
            // What was shown is done, or nothing.
            return try await administrator.perform(change, in: .only, ifVersion: preview.version).answer
        }
        try output.print(Result(removed: answer.removed, revokedConsents: answer.revokedConsents)) {
            "Removed \(answer.removed). Consents revoked: \(answer.revokedConsents)."
        }
    }

    private struct Result: Encodable {
        let removed: String
        let revokedConsents: Int
    }
}
