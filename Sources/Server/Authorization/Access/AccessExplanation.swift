import Directory
import Foundation
import Storage

/// What an app gets about one person, or why it gets nothing. It is decided by the same functions as the app's
/// requests.
package struct AccessExplanation: Equatable, Sendable {
    package enum SignIn: Equatable, Sendable {
        case refused(SignInAccess.Reason)
        /// The person may sign in, and has not done so, or has disconnected the app. It would ask for these scopes.
        case possible(ScopeSet)
        /// The person has signed in and allowed these scopes.
        case consented(ScopeSet, hidesEmail: Bool)
    }

    package enum Roster: Equatable, Sendable {
        /// A personal account belongs to no organization, so that no roster has it.
        case personalAccount
        case refused(DataSharingAccess.Reason)
        /// Nobody has allowed the app to read the organization's roster.
        case notConnected
        /// A roster has no deactivated people.
        case deactivated
        /// The organization has left the person out of what this app sees.
        case leftOut
        /// The person is in no place, grade, role or class that the organization shares with this app.
        case notShared
        /// The app can read these fields of the person, by the names on the wire.
        /// - `classes`: in how many of the classes that it can read the person is.
        case read(fields: [String], classes: Int, ScopeSet)
    }

    package let signIn: SignIn
    package let roster: Roster

    /// - Parameter person: as read in this transaction.
    package init(of app: App, about person: Person, at now: Date, in transaction: some Transaction) throws {
        signIn = try Self.signIn(app, person, transaction)
        roster = try Self.roster(app, person, at: now, transaction)
    }

    private static func signIn(_ app: App, _ person: Person, _ transaction: some Transaction) throws -> SignIn {
        // An account that was never used becomes active with the first sign-in, so only the rule decides about it.
        let access =
            person.state == .new
            ? try SignInAccess.decide(app: app, whoeverSignsInOf: person.organizationID, in: transaction)
            : try SignInAccess.decide(app: app, person: person, in: transaction)
        if case .refused(let reason) = access { return .refused(reason) }
        guard let consent = try SignInConsent.living(app: app.id, person: person.id, in: transaction) else {
            return .possible(app.scopes.intersection(.aboutPerson))
        }
        return .consented(consent.scopes.intersection(app.scopes), hidesEmail: consent.hidesEmail)
    }

    private static func roster(
        _ app: App, _ person: Person, at now: Date, _ transaction: some Transaction
    ) throws -> Roster {
        guard let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) })
        else { return .personalAccount }
        if case .refused(let reason) = try DataSharingAccess.decide(
            app: app, organization: organization, in: transaction)
        {
            return .refused(reason)
        }
        guard let consent = try Consent.living(app: app.id, organization: organization.id, at: now, in: transaction)
        else {
            return .notConnected
        }
        guard person.state != .deactivated else { return .deactivated }
        let view = try RosterView(of: organization, for: app.id, at: now, in: transaction)
        guard
            let found = try RosterPerson.find(
                person.id, in: organization.id, through: view.sharing, at: now, transaction)
        else {
            let rules = try SharingRules.find(for: app.id, of: organization.id, in: transaction)
            return rules.leftOut.contains(person.id) ? .leftOut : .notShared
        }
        let scopes = consent.scopes.intersection(app.scopes)
        let classes =
            scopes.readsClasses
            ? try RosterClass.ids(of: person.id, in: transaction).filter {
                try RosterClass.find($0, in: organization.id, through: view.sharing, transaction).map {
                    ($0.students + $0.instructors).contains(person.id)
                } ?? false
            } : []
        return .read(
            fields: scopes.readsUsers ? found.fieldsOnTheWire : [], classes: classes.count, scopes)
    }
}
