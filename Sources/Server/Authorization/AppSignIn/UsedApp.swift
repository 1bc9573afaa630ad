import Directory
import Foundation
import Ground
import Storage

/// An app that a person signs in to, and what it has been given about them.
package struct UsedApp: Sendable {
    package let consent: SignInConsent
    package let app: App
    package let team: Team
    /// The primary client id of the app.
    package let clientID: String
    /// The name that the app was given; nil if it asked for none.
    package let name: String?
    package let email: Email?
    /// What the app is told that the person is in the organization; nil if it may not be told.
    package let standing: RosterStanding?
    /// The hidden address that only this app has, and which stops forwarding when the person stops using it. Nil if
    /// another app has it too, or this one has none.
    package let lastHiddenAddress: HiddenAddress?

    package enum Email: Equatable, Sendable {
        case own(String)
        case hidden(String)
    }
}

extension UsedApp {
    /// The apps of a person, the latest first.
    package static func list(of person: Person, at now: Date, in transaction: some Transaction) throws -> [UsedApp] {
        try SignInConsent.list(of: person.id, in: transaction).compactMap {
            try UsedApp($0, of: person, at: now, in: transaction)
        }
    }

    /// Nil if the person does not use the app.
    package static func find(
        _ app: AppID, of person: Person, at now: Date, in transaction: some Transaction
    ) throws -> UsedApp? {
        try SignInConsent.living(app: app, person: person.id, in: transaction).flatMap {
            try UsedApp($0, of: person, at: now, in: transaction)
        }
    }

    /// Nil if the app has been removed, which ends its consents.
    private init?(
        _ consent: SignInConsent, of person: Person, at now: Date, in transaction: some Transaction
    ) throws {
        guard let app = try App.find(consent.appID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction),
            let clientID = try App.clientIDs(of: app.id, in: transaction).first
        else { return nil }
        self.consent = consent
        self.app = app
        self.team = team
        self.clientID = clientID
        name =
            consent.scopes.contains(.name)
            ? Person.fullName(
                givenName: consent.givenName ?? person.givenName, familyName: consent.familyName ?? person.familyName)
            : nil
        standing =
            try consent.scopes.contains(.roles) ? RosterStanding(of: person, at: now, in: transaction) : nil
        guard consent.hidesEmail, let hidden = try HiddenAddress.find(of: person.id, for: app.id, in: transaction)
        else {
            email = consent.scopes.contains(.email) && !consent.hidesEmail ? person.email.map { .own($0) } : nil
            lastHiddenAddress = nil
            return
        }
        email = consent.scopes.contains(.email) ? .hidden(hidden.address) : nil
        lastHiddenAddress = try hidden.forwards && hidden.apps(in: transaction) == [app.id] ? hidden : nil
    }
}

extension UsedApp {
    /// Ends the person's consent. The app is told.
    /// - Returns: false if it had ended before.
    @discardableResult
    package func stop(
        by person: Person, from origin: Origin, at now: Date, surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Bool {
        try consent.end(
            .person, by: .person(person.id), from: origin, at: now, surroundings: surroundings, in: transaction)
    }
}
