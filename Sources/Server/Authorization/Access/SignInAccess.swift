import Directory
import Foundation
import Storage

/// Whether a person may sign in to an app. Checked before consent, when a code is redeemed and on every refresh.
package enum SignInAccess: Equatable, Sendable {
    case allowed
    case refused(Reason)

    package enum Reason: Equatable, Sendable {
        case appRemoved
        case appNotListed(ruleVersion: Int)
        case accountClosed
        case organizationClosed

        package var text: String {
            switch self {
            case .appRemoved: "the app was removed from this server"
            case .appNotListed(let version):
                "the app is not on the organization's list for signing in (rule version \(version))"
            case .accountClosed: "the account is deactivated"
            case .organizationClosed: "the organization is closed"
            }
        }

        /// The text for the app, which does not reveal the organization's list.
        package var publicText: String {
            switch self {
            case .appRemoved, .accountClosed, .organizationClosed: text
            case .appNotListed: "the person's organization does not let people sign in to the app"
            }
        }
    }

    /// - Parameter person: as read in this transaction.
    package static func decide(
        app: App, person: Person, in transaction: some Transaction
    ) throws -> SignInAccess {
        if app.removedAt == nil, !person.state.staysSignedIn { return .refused(.accountClosed) }
        return try decide(app: app, whoeverSignsInOf: person.organizationID, in: transaction)
    }

    /// What holds for everybody of an organization whose account is open.
    /// - Parameter organization: nil for personal accounts.
    package static func decide(
        app: App, whoeverSignsInOf organization: OrganizationID?, in transaction: some Transaction
    ) throws -> SignInAccess {
        if app.removedAt != nil { return .refused(.appRemoved) }
        // A personal account belongs to no organization, so no rule applies.
        guard let organization else { return .allowed }
        if try Organization.isClosed(organization, in: transaction) { return .refused(.organizationClosed) }
        let rule = try AccessRule.find(.signIn, of: organization, in: transaction)
        return rule.allows(app) ? .allowed : .refused(.appNotListed(ruleVersion: rule.version))
    }
}
