import Authorization
import Directory
import Foundation
import ServerPages
import Storage

/// What somebody signs in for: the request that waits behind the page, if one does, and the way back to its app.
struct SignInPlace: Sendable {
    var purpose = SignInPage.Purpose.account
    /// Goes back to the app.
    var cancel: Form?
    /// Whether the way on ends at an app, and not at a device.
    var leadsToApp = false
    /// Whose people sign in, if the way here tells: docs/decisions has a page on what does.
    var organization: Organization?
    /// Whether there is an account that belongs to its person.
    var hasPersonalAccounts = false
    /// Rosters are connected with accounts of their organizations; the test school with those of developers, which are
    /// their own.
    var takesManagedOnly = false

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

    /// - Parameter path: of the page that waits.
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
        cancel = .deny(at: path)
        leadsToApp = request.deviceHash == nil
    }

    private init(in transaction: some Transaction) throws {
        organization = try Organization.only(in: transaction)
        hasPersonalAccounts = try Person.hasPersonal(in: transaction)
    }

    /// Notes that somebody has just signed in for the request that waits behind a page: nobody has to ask them again who
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
