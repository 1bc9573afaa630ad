import Directory
import Foundation
import Storage

/// What the pages ask a person who signs in to an app, or why they cannot ask: everything that is decided about a
/// request and the person who is signed in.
package enum SignInQuestion: Sendable {
    /// The app knows the person, who only has to confirm.
    case welcome(Welcome)
    /// It is the first sign-in to the app, or the app asks for more than before.
    case create(Welcome)
    /// The organization does not allow the app, or the account was closed in the meantime.
    case blocked(app: App, organization: Organization?, reason: SignInAccess.Reason)

    package struct Welcome: Sendable {
        package let app: App
        package let team: Team
        /// The person as stored now, which may differ from when the session began.
        package let person: Person
        /// The organization that owns the account; nil for a personal account.
        package let organization: Organization?
        /// What the app asks for.
        package let scopes: ScopeSet
        /// What the app has already.
        package let existing: SignInConsent?
        /// The address that the app has instead of the person's own, if that was chosen before.
        package let hiddenAddress: HiddenAddress?
        /// What the person is in the organization; nil for a personal account, and if the request does not
        /// ask for it.
        package let standing: RosterStanding?
        /// Whether the app's client has no secret, so that anybody can use its id.
        package let isPublicClient: Bool
        /// Whether the hidden address that the app has belongs to its former team. This sign-in then gives it one of
        /// its own team.
        package var replacesHiddenAddress: Bool {
            existing?.hidesEmail == true && hiddenAddress?.teamID != app.teamID
        }

        /// Whether the person has something to enter or to choose; only for personal accounts.
        package var isEditable: Bool { organization == nil && (asksForName || sharesEmail) }

        package var asksForName: Bool { scopes.contains(.name) }
        package var asksForEmail: Bool { scopes.contains(.email) }
        /// Whether the person chooses to share or hide their address, for which they need to have one.
        package var sharesEmail: Bool { asksForEmail && person.email != nil }
    }
}

extension SignInQuestion {
    /// - Throws: ``OAuthError`` `invalid_client` if the app has been removed in the meantime.
    package static func find(
        for request: AuthorizationRequest, person: PersonID, at now: Date, in transaction: some Transaction
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
            standing: request.askedScopes.contains(.roles)
                ? try RosterStanding(of: person, at: now, in: transaction) : nil,
            isPublicClient: client.isPublic)
        let data = request.askedScopes.intersection(.aboutPerson)
        guard let existing, data.isSubset(of: existing.scopes), !request.prompts.contains(.consent) else {
            return .create(welcome)
        }
        return .welcome(welcome)
    }
}

extension AuthorizationRequest {
    /// Whether a session is recent enough for the app's request, and belongs to the person for whom the app asks.
    ///
    /// If an app limits the age of the sign-in (`max_age`, `prompt=login`), a session that a device or a ticket of
    /// Kerberos began is never recent enough, because nobody was at the keyboard. OpenID Connect Core §3.1.2.1: “actively authenticated”. Such
    /// a session cannot consent to roster access either, because that is given for the organization and outlives the
    /// device.
    /// - Parameter isForIt: whether the person signed in on the way to this very request.
    package func accepts(_ session: BrowserSession, isForIt: Bool = false) -> Bool {
        (takesUnattended || !session.beganUnattended)
            // An app that insists on a password is not told of one that nobody has typed.
            && (!needsPassword || !session.methods.replacesPassword)
            && (isForIt || !prompts.contains(.login))
            && (authenticatedSince.map { !session.beganUnattended && session.authenticatedAt >= $0 } ?? true)
            && (person.map { session.person.id == $0 } ?? true)
    }

    private var takesUnattended: Bool { profile.manners.devicesMaySignIn && !needsPassword }

    /// Whether somebody can be signed in for the request without being asked, by a ticket of Kerberos that their browser
    /// shows. If the app names a person, the page asks, because the ticket may be another one's.
    package var maySignInByTicket: Bool {
        takesTicket && person == nil && loginHint == nil && !prompts.contains(.selectAccount)
    }

    /// Whether a ticket of Kerberos can sign anybody in for the request.
    package var takesTicket: Bool {
        takesUnattended && !needsDevice && !prompts.contains(.login) && authenticatedSince == nil
    }
}

extension ParkedRequest {
    package func accepts(_ session: BrowserSession) -> Bool {
        request.accepts(session, isForIt: sessionHash == session.tokenHash)
    }

    /// Whether the person has signed in on the way to this request: the page on which they did so has named the app.
    package func began(_ session: BrowserSession) -> Bool { sessionHash == session.tokenHash }

    /// Whether a person has signed in for this request who is not the one for whom the app asks.
    package func wasMistaken(in session: BrowserSession) -> Bool {
        began(session) && request.person.map { session.person.id != $0 } ?? false
    }
}
