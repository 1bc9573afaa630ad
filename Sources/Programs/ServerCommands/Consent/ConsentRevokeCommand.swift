import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Storage

struct ConsentRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End the consent of an organization for an app.",
        discussion: """
            The app's tokens are refused from the next call on, and the server sends it a notification. To read again \
            it needs a new consent. Therefore the command asks for confirmation at a terminal; in a script it needs \
            --yes.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    private struct Result: Encodable {
        let consent: ConsentReport
        let isNotified: Bool
    }

    func run() async throws {
        let (selector, apps) = (organization.selector, AppSelector(text: app))
        if confirmation.dryRun || !confirmation.yes {
            let losses = try await Deployment.withExisting(global) { deployment, _ in
                try await deployment.database.read { transaction in
                    let organization = try selector.find(in: transaction)
                    let app = try apps.find(in: transaction)
                    let isAlive = try Consent.living(app: app.id, organization: organization.id, in: transaction) != nil
                    return try LossReport(
                        isAlive ? [AccessLoss(app: app, signIns: 0, readsRoster: true)] : [], of: organization,
                        in: transaction)
                }
            }
            if confirmation.dryRun { return try output.print(losses) { losses.text } }
            try confirmation.confirm(losses.sentences)
        }
        let result = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = try selector.find(in: transaction)
                let app = try apps.find(in: transaction)
                guard let consent = try Consent.living(app: app.id, organization: organization.id, in: transaction),
                    try consent.revoke(
                        by: nil, actor: .operator, from: .commandLine, at: now, surroundings: deployment.surroundings,
                        in: transaction)
                else {
                    throw Failure(
                        "\(organization.name) has no consent for \(app.name) that is alive. `lanyard consent list` shows them."
                    )
                }
                return Result(
                    consent: try ConsentReport(consent, of: organization, in: transaction),
                    isNotified: app.notificationURL != nil)
            }
        }
        try output.print(result) {
            """
            Revoked. From now on \(result.consent.app) reads nothing.
            \(result.isNotified ? "The server tells it so." : "It has no notification URL, so nobody tells it.")
            """
        }
    }
}
