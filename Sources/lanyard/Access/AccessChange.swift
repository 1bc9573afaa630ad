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
        let (now, surroundings) = (deployment.now, deployment.surroundings)
        return try await deployment.database.write { transaction in
            let organization = try selector.findToChange(in: transaction)
            guard organization.kind == .school || purpose == .signIn else {
                throw Failure("\(organization.name) is a business; only schools have rosters to share.")
            }
            var signedOut = 0
            let rule = try AccessRule.find(purpose, of: organization.id, in: transaction)
            if let change = try change(organization, rule, transaction) {
                switch purpose {
                case .dataSharing:
                    try AccessRule.apply(
                        change, to: organization.id, purpose: purpose, by: .operator, from: .commandLine, at: now,
                        in: transaction)
                case .signIn:
                    signedOut = try AccessRule.applyToSignIn(
                        change, of: organization.id, by: .operator, from: .commandLine, at: now,
                        surroundings: surroundings, in: transaction)
                }
            }
            return try AccessReport(purpose, of: organization, signedOut: signedOut, in: transaction)
        }
    }
}

/// `--for`: which of the two rules.
struct AccessPurposeOption: ParsableArguments {
    @Option(name: .customLong("for"), help: ArgumentHelp("Which rule.", valueName: "rule"))
    var value: AccessRule.Purpose = .dataSharing
}
