import Authorization
import Directory
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/connected-apps/…`: a person who decides for an organization ends an app's access to its roster.
struct ConnectedAppRoutes: Sendable {
    let database: any Database
    let apps: ConnectedApps
    let door: AccountDoor

    static func stopPath(of app: AppID) -> String { "/account/connected-apps/\(app.rawValue)/stop" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/connected-apps/{app}/stop", use: show)
        router.post("account/connected-apps/{app}/stop", use: stop)
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
        guard try !visit.person.rolesThatShareData(in: transaction).isEmpty,
            let organization = try visit.person.organizationID.flatMap({ try Organization.find($0, in: transaction) })
        else { throw PageError.notFound }
        guard let connected = try ConnectedApp.find(app, of: organization, in: transaction) else { return nil }
        let view = try RosterView(of: organization, for: app, in: transaction)
        return StopSharingPage(
            app: RequestingApp(connected.app, connected.team, clientID: connected.clientID),
            organization: Badge(organization), scopes: Set(connected.consent.scopes.consentScopes),
            people: try view.people(in: transaction), classes: try view.classes(in: transaction),
            isTold: connected.app.notificationURL != nil, form: Form(action: Self.stopPath(of: app)),
            cancelPath: AccountRoutes.path)
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
            stopPath: ConnectedAppRoutes.stopPath(of: connected.app.id))
    }
}
