import Directory
import Storage

/// "May this app read this organization's roster, and which part of it?" Every route, page and command that
/// needs the answer asks here; the reason is what the log, the page and the audit entry show.
package enum DataSharingAccess: Equatable, Sendable {
    case allowed
    case refused(Reason)

    package enum Reason: Equatable, Sendable {
        case appRemoved
        case appNotListed(ruleVersion: Int)
        /// Nobody of the organization may sign in to it.
        case signInNotAllowed(ruleVersion: Int)
        /// Only schools have rosters to share.
        case organizationIsNoSchool

        package var text: String {
            switch self {
            case .appRemoved: "the app was removed from this server"
            case .appNotListed(let version): "the app is not on the organization's list (rule version \(version))"
            case .signInNotAllowed(let version):
                "the app is not on the organization's list for signing in (rule version \(version))"
            case .organizationIsNoSchool: "the organization is not a school"
            }
        }
    }

    package static func decide(
        app: App, organization: Organization, in transaction: some Transaction
    ) throws -> DataSharingAccess {
        if app.removedAt != nil { return .refused(.appRemoved) }
        // Nobody's data: what the app's own developers may see is no organization's decision.
        if organization.isSynthetic { return .allowed }
        guard organization.kind == .school else { return .refused(.organizationIsNoSchool) }
        let signIn = try AccessRule.find(.signIn, of: organization.id, in: transaction)
        guard signIn.allows(app.id) else { return .refused(.signInNotAllowed(ruleVersion: signIn.version)) }
        let rule = try AccessRule.find(.dataSharing, of: organization.id, in: transaction)
        return rule.allows(app.id) ? .allowed : .refused(.appNotListed(ruleVersion: rule.version))
    }
}
