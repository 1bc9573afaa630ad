import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/connected-apps/…`: a person who decides for an organization ends or renews an app's access to its roster.
struct ConnectedAppRoutes: Sendable {
    let database: any Database
    let apps: ConnectedApps
    let surroundings: Surroundings
    let door: AccountDoor

    static func stopPath(of app: AppID) -> String { "/account/connected-apps/\(app.rawValue)/stop" }

    static func renewPath(of app: AppID) -> String { "/account/connected-apps/\(app.rawValue)/renew" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/connected-apps/{app}/stop", use: show)
        router.post("account/connected-apps/{app}/stop", use: stop)
        router.get("account/connected-apps/{app}/renew", use: showRenewal)
        router.post("account/connected-apps/{app}/renew", use: renew)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let app = try AccountAppRoutes.app(context)
        return try await door.open(request, context, at: Self.stopPath(of: app)) { visit in
            guard let page = try await database.read({ try page(for: app, visit, in: $0) }) else {
                // The access has ended already, perhaps by another window.
                return .seeOther(AccountRoutes.path)
            }
            return door.respond(with: page, at: Self.stopPath(of: app), visit)
        }
    }

    /// The page; nil if the app is not connected.
    /// - Throws: ``PageError/notFound`` for a person who does not decide: for them these pages do not exist.
    private func page(
        for app: AppID, _ visit: AccountDoor.Visit, in transaction: some Transaction
    ) throws -> StopSharingPage? {
        let now = surroundings.now()
        let organization = try organization(of: visit.person, at: now, in: transaction)
        guard let connected = try ConnectedApp.find(app, of: organization, at: now, in: transaction)
        else { return nil }
        let view = try RosterView(of: organization, for: app, at: now, in: transaction)
        return StopSharingPage(
            app: RequestingApp(connected.app, connected.team, clientID: connected.clientID),
            organization: Badge(organization), scopes: Set(connected.consent.scopes.consentScopes),
            people: try view.people(in: transaction), classes: try view.classes(in: transaction),
            isTold: connected.app.notificationURL != nil, form: Form(action: Self.stopPath(of: app)),
            cancelPath: AccountRoutes.path)
    }

    private func organization(of person: Person, at now: Date, in transaction: some Transaction) throws -> Organization
    {
        guard try !person.rolesThatShareData(at: now, in: transaction).isEmpty,
            let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) })
        else { throw PageError.notFound }
        return organization
    }

    @Sendable private func showRenewal(_ request: Request, context: AppContext) async throws -> Response {
        let app = try AccountAppRoutes.app(context)
        return try await door.open(request, context, at: Self.renewPath(of: app)) { visit in
            guard let page = try await database.read({ try renewalPage(for: app, visit, in: $0) }) else {
                return .seeOther(AccountRoutes.path)
            }
            return door.respond(with: page, at: Self.renewPath(of: app), visit)
        }
    }

    /// The page; nil if the app is not connected, or there is nothing to renew.
    /// - Throws: as ``page(for:_:in:)``
    private func renewalPage(
        for app: AppID, _ visit: AccountDoor.Visit, in transaction: some Transaction
    ) throws -> RenewSharingPage? {
        let now = surroundings.now()
        let organization = try organization(of: visit.person, at: now, in: transaction)
        guard let connected = try ConnectedApp.find(app, of: organization, at: now, in: transaction),
            let lastDay = connected.consent.lastDay, let renewed = connected.renewedLastDay
        else { return nil }
        let view = try RosterView(of: organization, for: app, at: now, in: transaction)
        return RenewSharingPage(
            app: RequestingApp(connected.app, connected.team, clientID: connected.clientID),
            organization: Badge(organization), scopes: Set(connected.consent.scopes.consentScopes),
            people: try view.people(in: transaction), classes: try view.classes(in: transaction),
            lastDay: lastDay.date, renewedLastDay: renewed.date, form: Form(action: Self.renewPath(of: app)),
            cancelPath: AccountRoutes.path)
    }

    @Sendable private func renew(_ request: Request, context: AppContext) async throws -> Response {
        let app = try AccountAppRoutes.app(context)
        return try await door.submit(request, context, at: Self.renewPath(of: app)) { visit, _ in
            let isRenewed = try await apps.renew(app, in: visit.session, origin: visit.origin)
            return .seeOther(
                isRenewed ? AccountRoutes.path(noting: .renewedSharing, app: app) : AccountRoutes.path)
        }
    }

    @Sendable private func stop(_ request: Request, context: AppContext) async throws -> Response {
        let app = try AccountAppRoutes.app(context)
        return try await door.submit(request, context, at: Self.stopPath(of: app)) { visit, _ in
            let isStopped = try await apps.stop(app, in: visit.session, origin: visit.origin)
            return .seeOther(
                isStopped ? AccountRoutes.path(noting: .stoppedSharing, app: app) : AccountRoutes.path)
        }
    }
}

extension AccountPage.ConnectedApp {
    init(_ connected: ConnectedApp) {
        self.init(
            RequestingApp(connected.app, connected.team, clientID: connected.clientID),
            scopes: Set(connected.consent.scopes.consentScopes), allowedBy: connected.grantedBy,
            allowedAt: connected.consent.grantedAt, lastReadAt: connected.lastReadAt, mayRead: connected.mayRead,
            lastDay: connected.consent.lastDay?.date,
            renewPath: connected.renewedLastDay.map { _ in ConnectedAppRoutes.renewPath(of: connected.app.id) },
            stopPath: ConnectedAppRoutes.stopPath(of: connected.app.id))
    }
}
