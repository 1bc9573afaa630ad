import Directory
import Foundation
import Storage

/// "May this person sign in to this app?" Asked before consent, when a code is redeemed and on every refresh.
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
    }

    /// - Parameter person: as read in this transaction.
    package static func decide(
        app: App, person: Person, in transaction: some Transaction
    ) throws -> SignInAccess {
        if app.removedAt != nil { return .refused(.appRemoved) }
        guard person.state.staysSignedIn else { return .refused(.accountClosed) }
        // A personal account is its owner's.
        guard let organization = person.organizationID else { return .allowed }
        let rule = try AccessRule.find(.signIn, of: organization, in: transaction)
        return rule.allows(app.id) ? .allowed : .refused(.appNotListed(ruleVersion: rule.version))
    }
}

extension AccessRule {
    /// Changes to which apps an organization's people may sign in. Who uses an app that is out now is signed out of it:
    /// tokens are refused from the next call on, and the app is told, person by person.
    /// - Returns: how many people that concerns.
    package static func applyToSignIn(
        _ change: Change, of organization: OrganizationID, by actor: Actor, from origin: Origin, at now: Date,
        surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Int {
        try apply(change, to: organization, purpose: .signIn, by: actor, from: origin, at: now, in: transaction)
        let rule = try find(.signIn, of: organization, in: transaction)
        guard rule.mode == .allowOnlyListedApps else { return 0 }
        var people: Set<PersonID> = []
        for app in try App.list(in: transaction) where !rule.allows(app.id) {
            for consent in try SignInConsent.list(livingOf: app.id, in: organization, transaction) {
                try consent.end(
                    .organization, by: actor, from: origin, at: now, surroundings: surroundings, in: transaction)
                people.insert(consent.personID)
            }
        }
        return people.count
    }
}
