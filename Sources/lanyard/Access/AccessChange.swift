import ArgumentParser
import Authorization
import Directory
import Foundation
import Storage

extension AccessReport {
    /// Changes the rule of an organization.
    /// - Parameter change: made from what there is; nil if nothing has to change, and then nothing is written.
    static func after(
        in deployment: Deployment, _ purpose: AccessRule.Purpose, of selector: OrganizationSelector,
        _ change: @escaping @Sendable (Organization, AccessRule, WriteTransaction) throws -> AccessRule.Change?
    ) async throws -> AccessReport {
        let now = deployment.now
        let organization = try await deployment.database.write { transaction in
            let organization = try selector.findToChange(in: transaction)
            guard organization.kind == .school || purpose == .signIn else {
                throw Failure("\(organization.name) is a business; only schools have rosters to share.")
            }
            let rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
            if let change = try change(organization, rule, transaction) {
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
}

/// `--for`: which of the two rules.
struct AccessPurposeOption: ParsableArguments {
    // The help would write a default value as the database does.
    @Option(
        name: .customLong("for"), help: ArgumentHelp("Which rule; data-sharing if it is left out.", valueName: "rule"))
    var rule: AccessRule.Purpose?

    var value: AccessRule.Purpose { rule ?? .dataSharing }
}
