import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Storage

/// A change of an organization's access rule, from the arguments of a command.
struct AccessChange: Sendable {
    let purpose: AccessRule.Purpose
    let organization: OrganizationSelector
    /// The change relative to the current rule; nil if the rule is already as wanted, and then nothing is written.
    let change: @Sendable (Organization, AccessRule, any Transaction) throws -> AccessRule.Change?

    private func find<T: Transaction>(
        in transaction: T
    ) throws -> (organization: Organization, change: AccessRule.Change?) {
        let organization = try organization.findToChange(in: transaction)
        guard organization.kind == .school || purpose == .signIn else {
            throw Failure("\(organization.name) is a business; only schools have rosters to share.")
        }
        let rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
        return (organization, try change(organization, rule, transaction))
    }

    /// The sign-ins and connections that the change would end.
    func losses(in deployment: Deployment) async throws -> LossReport {
        try await deployment.database.read { transaction in
            let (organization, change) = try find(in: transaction)
            let losses = try change.map {
                try AccessLoss.find(of: $0, to: organization, purpose: purpose, in: transaction)
            }
            return try LossReport(losses ?? [], of: organization, in: transaction)
        }
    }

    func apply(in deployment: Deployment) async throws -> AccessReport {
        let now = deployment.now
        let organization = try await deployment.database.write { transaction in
            let (organization, change) = try find(in: transaction)
            if let change {
                try AccessRule.apply(
                    change, to: organization.id, purpose: purpose, by: .operator, from: .commandLine, at: now,
                    in: transaction)
            }
            return organization
        }
        let signedOut =
            purpose == .signIn
            ? try await AccessRuleSweep(database: deployment.database, surroundings: deployment.surroundings)
                .run(in: organization.id, by: .operator, from: .commandLine) : 0
        return try await deployment.database.read { transaction in
            try AccessReport(purpose, of: organization, signedOut: signedOut, in: transaction)
        }
    }

    /// Prints what would end, asks for confirmation, and changes the rule.
    func run(_ global: GlobalOptions, _ output: OutputOptions, _ confirmation: ConfirmationOptions) async throws {
        if confirmation.dryRun || !confirmation.yes {
            let losses = try await Deployment.withExisting(global) { deployment, _ in
                try await self.losses(in: deployment)
            }
            if confirmation.dryRun { return try output.print(losses) { losses.text } }
            try confirmation.confirm(losses.sentences)
        }
        let report = try await Deployment.withExisting(global) { deployment, _ in try await apply(in: deployment) }
        try output.print(report) { report.text }
    }
}

/// `--for`, which selects one of the two rules.
struct AccessPurposeOption: ParsableArguments {
    // No default value: the help would print it in the spelling of the database.
    @Option(
        name: .customLong("for"), help: ArgumentHelp("Which rule; data-sharing if it is left out.", valueName: "rule"))
    var rule: AccessRule.Purpose?

    var value: AccessRule.Purpose { rule ?? .dataSharing }
}
