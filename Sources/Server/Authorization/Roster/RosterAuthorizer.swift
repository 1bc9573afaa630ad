import Directory
import Foundation
import Storage

/// Finds out which app and organization an access token stands for, and whether it still counts: whether grant and
/// consent are alive, and the access rule allows the app. ``RosterList`` decides which scopes open which list.
package struct RosterAuthorizer: Sendable {
    private let sealer: AccessTokenSealer
    private let now: @Sendable () -> Date

    package init(keys: ServerKeys, now: @escaping @Sendable () -> Date) {
        sealer = AccessTokenSealer(keys.accessTokens)
        self.now = now
    }

    /// Checks the token itself: that this server sealed it, and that it has not expired. Needs no transaction.
    /// - Throws: ``RosterRefusal/invalidToken(_:)``
    package func open(_ bearerToken: String) throws -> AccessToken {
        guard let token = sealer.open(bearerToken) else { throw RosterRefusal.invalidToken("not one of ours") }
        guard now() < token.expiresAt else { throw RosterRefusal.invalidToken("expired") }
        return token
    }

    /// The app, organization and scopes of the token, read anew at each call.
    /// - Throws: ``RosterRefusal``
    package func access(with token: AccessToken, in transaction: some Transaction) throws -> RosterAccess {
        guard let grant = try Grant.find(token.grantID, in: transaction), grant.revokedAt == nil else {
            throw RosterRefusal.invalidToken("the grant is revoked")
        }
        guard let consentID = grant.basis.consentID else {
            throw RosterRefusal.forbidden("the token is of a person who signed in, not of an organization")
        }
        guard let consent = try Consent.find(consentID, in: transaction), consent.isAlive(at: now()) else {
            throw RosterRefusal.invalidToken("the consent has ended")
        }
        guard let app = try App.find(consent.appID, in: transaction),
            let organization = try Organization.find(consent.organizationID, in: transaction)
        else { throw RosterRefusal.invalidToken("the app or the organization is gone") }
        if case .refused(let reason) = try DataSharingAccess.decide(
            app: app, organization: organization, in: transaction)
        {
            throw RosterRefusal.forbidden(reason.text)
        }
        return RosterAccess(
            clientID: grant.clientID, app: app,
            view: try RosterView(of: organization, for: app.id, at: now(), in: transaction),
            scopes: grant.scopes.intersection(consent.scopes).intersection(app.scopes), grantID: grant.id)
    }
}

/// What a bearer token gives access to. It is found on every roster call, in the same snapshot as the page itself.
package struct RosterAccess: Sendable {
    package let clientID: String
    package let app: App
    let view: RosterView
    package let scopes: ScopeSet
    package let grantID: GrantID

    package var organization: Organization { view.organization }
}
