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

    /// - Parameter target: where the person goes on after signing in.
    static func find(
        behind target: LocalPath, _ visitor: Visitor, at now: Date, in database: any Database
    ) async throws -> SignInPlace {
        guard let token = ConnectRoutes.token(of: target) ?? ContinueRoutes.token(of: target) else {
            return SignInPlace()
        }
        return try await database.read { transaction in
            let parked = try ParkedRequest.find(
                token: token, browser: visitor.browserSecret, at: now, in: transaction)
            return try parked.map { try SignInPlace($0.request, path: target.text, in: transaction) } ?? SignInPlace()
        }
    }

    /// - Parameter path: of the page that waits.
    init(_ request: AuthorizationRequest, path: String, in transaction: some Transaction) throws {
        let app = try RequestingApp.find(asking: request, in: transaction)
        purpose =
            switch request.profile {
            case .roster: .connecting(appName: app.name)
            case .compatible, .standard: request.deviceHash == nil ? .signingIn(to: app) : .device
            }
        cancel = .deny(at: path)
        leadsToApp = request.deviceHash == nil
    }

    private init() {}

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
