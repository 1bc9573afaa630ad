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

        package var text: String {
            switch self {
            case .appRemoved: "the app was removed from this server"
            case .appNotListed(let version):
                "the app is not on the organization's list for signing in (rule version \(version))"
            case .accountClosed: "the account is deactivated"
            }
        }

        /// The text for the app, which does not reveal the organization's list.
        package var publicText: String {
            switch self {
            case .appRemoved, .accountClosed: text
            case .appNotListed: "the person's organization does not let people sign in to the app"
            }
        }
    }

    /// - Parameter person: as read in this transaction.
    package static func decide(
        app: App, person: Person, in transaction: some Transaction
    ) throws -> SignInAccess {
        if app.removedAt != nil { return .refused(.appRemoved) }
        guard person.state.staysSignedIn else { return .refused(.accountClosed) }
        // A personal account belongs to no organization, so no rule applies.
        guard let organization = person.organizationID else { return .allowed }
        let rule = try AccessRule.find(.signIn, of: organization, in: transaction)
        return rule.allows(app.id) ? .allowed : .refused(.appNotListed(ruleVersion: rule.version))
    }
}
