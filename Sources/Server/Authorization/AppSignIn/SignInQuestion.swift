import Directory
import Foundation
import Storage

/// What the pages ask a person who signs in to an app, or why they cannot ask: everything that is decided about a
/// request and whoever is signed in.
package enum SignInQuestion: Sendable {
    /// The app knows the person: one tap.
    case welcome(Welcome)
    /// The first sign-in to the app, or it asks for more than before.
    case create(Welcome)
    /// The organization keeps the app out, or the account was closed meanwhile.
    case blocked(app: App, organization: Organization?, reason: SignInAccess.Reason)

    package struct Welcome: Sendable {
        package let app: App
        package let team: Team
        /// As it stands now, not as it was when the session began.
        package let person: Person
        /// The owner of a managed account.
        package let organization: Organization?
        /// What the app asks for.
        package let scopes: ScopeSet
        /// What the app has already.
        package let existing: SignInConsent?
        /// What the app has in place of the person's own address, if that was chosen before.
        package let hiddenAddress: HiddenAddress?
        /// The app's client keeps no secret: anybody can use its id.
        package let isPublicClient: Bool
        /// Whether the address that the app has is another team's, from which it came: this sign-in gives it a new one,
        /// of its own team.
        package var replacesHiddenAddress: Bool {
            existing?.hidesEmail == true && hiddenAddress?.teamID != app.teamID
        }

        /// Whether the person has something to write or to choose: of personal accounts only.
        package var isEditable: Bool { organization == nil && (asksForName || sharesEmail) }

        package var asksForName: Bool { scopes.contains(.name) }
        package var asksForEmail: Bool { scopes.contains(.email) }
        /// Only an address that is there can be shared or hidden.
        package var sharesEmail: Bool { asksForEmail && person.email != nil }
    }
}

extension SignInQuestion {
    /// - Throws: ``OAuthError`` `invalid_client` if the app has gone meanwhile.
    package static func find(
        for request: AuthorizationRequest, person: PersonID, in transaction: some Transaction
    ) throws -> SignInQuestion {
        guard let (client, app) = try Client.findWithApp(request.clientID, in: transaction),
            let team = try Team.find(app.teamID, in: transaction),
            let person = try Person.find(person, in: transaction)
        else { throw OAuthError(.invalidClient, "the client has been removed") }
        let organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        if case .refused(let reason) = try SignInAccess.decide(app: app, person: person, in: transaction) {
            return .blocked(app: app, organization: organization, reason: reason)
        }
        let existing = try SignInConsent.living(app: app.id, person: person.id, in: transaction)
        let welcome = Welcome(
            app: app, team: team, person: person, organization: organization, scopes: request.askedScopes,
            existing: existing,
            hiddenAddress: existing?.hidesEmail == true
                ? try HiddenAddress.find(of: person.id, for: app.id, in: transaction) : nil,
            isPublicClient: client.isPublic)
        let data = request.askedScopes.intersection(.aboutPerson)
        guard let existing, data.isSubset(of: existing.scopes), !request.prompts.contains(.consent) else {
            return .create(welcome)
        }
        return .welcome(welcome)
    }
}

extension AuthorizationRequest {
    /// Whether a session is recent enough for what the app asks, and of the person whom it asks for.
    ///
    /// An app that asks since when (`max_age`, `prompt=login`) means the person: what a device began, with nobody at the
    /// keyboard, is never recent enough. OpenID Connect Core §3.1.2.1: “actively authenticated”. Nor does a device let an app
    /// read about everybody else of the organization: that rests on the organization, and outlives the device.
    /// - Parameter isForIt: whether the person signed in on the way to this very request.
    package func accepts(_ session: BrowserSession, isForIt: Bool = false) -> Bool {
        (profile.manners.devicesMaySignIn && !needsPassword || session.deviceID == nil)
            && (isForIt || !prompts.contains(.login))
            && (authenticatedSince.map { session.deviceID == nil && session.authenticatedAt >= $0 } ?? true)
            && (person.map { session.person.id == $0 } ?? true)
    }
}

extension ParkedRequest {
    package func accepts(_ session: BrowserSession) -> Bool {
        request.accepts(session, isForIt: sessionHash == session.tokenHash)
    }

    /// Whether the person has signed in on the way to this request: the page on which they did so has named the app.
    package func began(_ session: BrowserSession) -> Bool { sessionHash == session.tokenHash }

    /// Whether somebody has signed in for this request who is not the person whom the app asks for.
    package func wasMistaken(in session: BrowserSession) -> Bool {
        began(session) && request.person.map { session.person.id != $0 } ?? false
    }
}
