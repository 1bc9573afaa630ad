import Directory
import Storage

/// Whether an app may read an organization's roster. Every route, page and command that needs to know asks here. The
/// reason is what the log, the page and the audit entry show.
package enum DataSharingAccess: Equatable, Sendable {
    case allowed
    case refused(Reason)

    package enum Reason: Equatable, Sendable {
        case appRemoved
        case appNotListed(ruleVersion: Int)
        /// The organization does not let its people sign in to the app.
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
        // The synthetic school has no real data, so no organization's rule applies.
        if organization.isSynthetic { return .allowed }
        guard organization.kind == .school else { return .refused(.organizationIsNoSchool) }
        let signIn = try AccessRule.find(.signIn, of: organization.id, in: transaction)
        guard signIn.allows(app) else { return .refused(.signInNotAllowed(ruleVersion: signIn.version)) }
        let rule = try AccessRule.find(.dataSharing, of: organization.id, in: transaction)
        return rule.allows(app) ? .allowed : .refused(.appNotListed(ruleVersion: rule.version))
    }
}
