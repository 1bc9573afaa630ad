import Authorization
import Directory
import Foundation
import Storage

extension AccessReport {
    /// Changes the rule of an organization.
    /// - Parameter change: made from what there is; nil if nothing has to change, and then nothing is written.
    static func after(
        in deployment: Deployment, of selector: OrganizationSelector,
        _ change: @escaping @Sendable (Organization, AccessRule, WriteTransaction) throws -> AccessRule.Change?
    ) async throws -> AccessReport {
        let now = deployment.now
        return try await deployment.database.write { transaction in
            let organization = try selector.findToChange(in: transaction)
            guard organization.kind == .school else {
                throw Failure("\(organization.name) is a business; only schools have rosters to share.")
            }
            let rule = try AccessRule.find(of: organization.id, in: transaction)
            if let change = try change(organization, rule, transaction) {
                try AccessRule.apply(
                    change, to: organization.id, by: .operator, from: .commandLine, at: now, in: transaction)
            }
            return try AccessReport(of: organization, in: transaction)
        }
    }
}
