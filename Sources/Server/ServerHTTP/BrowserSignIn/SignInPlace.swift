import Authorization
import Directory
import Foundation
import ServerPages
import Storage

/// What a person signs in for: the request that waits behind the page, if there is one, and the way back to its app.
struct SignInPlace: Sendable {
    var purpose = SignInPage.Purpose.account
    /// The form that returns to the app without signing in.
    var cancel: Form?
    /// Whether the sign-in ends at an app, and not at a device.
    var leadsToApp = false
    /// The organization whose people are expected to sign in, if the request tells. A page in docs/decisions says how.
    var organization: Organization?
    /// Whether there is any personal account.
    var hasPersonalAccounts = false
    /// Whether only managed accounts are accepted. Roster access is granted with an account of the organization, but
    /// access to the test school with the account of a developer, which may be a personal one.
    var takesManagedOnly = false
    /// Whether a ticket of Kerberos may sign somebody in: an organization whose people can be expected has a realm, and the
    /// app does not ask for more than that.
    var takesTickets = false
    /// Whether a ticket may do so before anybody has seen the page.
    var asksForTicketAtOnce = false

    /// - Parameter target: where the person goes on after signing in.
    static func find(
        behind target: LocalPath, _ visitor: Visitor, at now: Date, in database: any Database
    ) async throws -> SignInPlace {
        let token = ConsentRoutes.token(of: target) ?? ContinueRoutes.token(of: target)
        return try await database.read { transaction in
            let parked = try token.flatMap {
                try ParkedRequest.find(token: $0, browser: visitor.browserSecret, at: now, in: transaction)
            }
            return try parked.map { try SignInPlace($0.request, path: target.text, in: transaction) }
                ?? SignInPlace(in: transaction)
        }
    }

    /// - Parameter path: the path of the waiting page.
    init(_ request: AuthorizationRequest, path: String, in transaction: some Transaction) throws {
        try self.init(in: transaction)
        organization = try organization ?? request.expectedOrganization(in: transaction)
        let app = try RequestingApp.find(asking: request, in: transaction)
        let isOfOrganization = request.profile.manners.organizationConsents
        purpose =
            if isOfOrganization {
                .connecting(app)
            } else if request.deviceHash == nil {
                .signingIn(to: app)
            } else {
                .device(app)
            }
        takesManagedOnly = isOfOrganization && !request.scopes.isTest
        takesTickets =
            try request.takesTicket && KerberosRealm.exists(of: organization?.id, in: transaction)
        asksForTicketAtOnce = takesTickets && request.maySignInByTicket
        cancel = .deny(at: path)
        leadsToApp = request.deviceHash == nil
    }

    private init(in transaction: some Transaction) throws {
        organization = try Organization.only(in: transaction)
        hasPersonalAccounts = try Person.hasPersonal(in: transaction)
        takesTickets = try KerberosRealm.exists(of: organization?.id, in: transaction)
        asksForTicketAtOnce = takesTickets
    }

    /// Records that the person has just signed in for the request behind a page, so that they are not asked again who
    /// they are.
    static func note(
        _ entry: BrowserEntry, behind target: LocalPath, _ visitor: Visitor, in database: any Database
    ) async throws {
        guard let token = ContinueRoutes.token(of: target) else { return }
        try await database.write {
            try ParkedRequest.note(entry.session, for: token, browser: visitor.browserSecret, in: $0)
        }
    }
}
