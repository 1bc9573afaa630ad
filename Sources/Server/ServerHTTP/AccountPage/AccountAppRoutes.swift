import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/apps/…` and `/account/hidden-addresses/…`: stop using an app; switch the forwarding of an address on and
/// off.
struct AccountAppRoutes: Sendable {
    let database: any Database
    let apps: UsedApps
    let door: AccountDoor
    let surroundings: Surroundings

    static func stopPath(of app: AppID) -> String { "/account/apps/\(app.rawValue)/stop" }
    static func addressPath(of address: HiddenAddressID) -> String { "/account/hidden-addresses/\(address.rawValue)" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/apps/{app}/stop", use: show)
        router.post("account/apps/{app}/stop", use: stop)
        router.post("account/hidden-addresses/{address}", use: setForwarding)
        // A browser that reloads the answer to a form may send a GET here.
        router.get("account/hidden-addresses/{address}") { _, _ in Response.seeOther(AccountRoutes.path) }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let app = try Self.app(context)
        return try await door.open(request, context, at: Self.stopPath(of: app)) { visit in
            let now = surroundings.now()
            let (used, organization) = try await database.read { transaction in
                (
                    try UsedApp.find(app, of: visit.person, at: now, in: transaction),
                    try visit.person.organizationID.flatMap { try Organization.find($0, in: transaction) }
                )
            }
            // The person has stopped using the app already, perhaps in another window.
            guard let used else { return .seeOther(AccountRoutes.path) }
            return door.respond(
                with: StopUsingPage(
                    app: RequestingApp(used.app, used.team, clientID: used.clientID),
                    account: AccountKind(organization), hiddenAddress: used.lastHiddenAddress?.address,
                    form: Form(action: Self.stopPath(of: app)), cancelPath: AccountRoutes.path),
                at: Self.stopPath(of: app), visit)
        }
    }

    @Sendable private func stop(_ request: Request, context: AppContext) async throws -> Response {
        let app = try Self.app(context)
        return try await door.submit(request, context, at: Self.stopPath(of: app)) { visit, _ in
            let isStopped = try await apps.stop(app, in: visit.session, origin: visit.origin)
            return .seeOther(isStopped ? AccountRoutes.path(noting: .stopped, app: app) : AccountRoutes.path)
        }
    }

    /// The id of the app in the path.
    static func app(_ context: AppContext) throws -> AppID {
        guard let number = context.parameters.get("app").flatMap({ Int64($0) }) else { throw PageError.notFound }
        return AppID(rawValue: number)
    }

    @Sendable private func setForwarding(_ request: Request, context: AppContext) async throws -> Response {
        guard let number = context.parameters.get("address").flatMap({ Int64($0) }) else { throw PageError.notFound }
        return try await door.submit(request, context, at: AccountRoutes.path) { visit, form in
            let forwards: Bool
            switch try form["forwarding"] {
            case "on": forwards = true
            case "off": forwards = false
            default: throw OAuthError(.invalidRequest, "forwarding is neither on nor off")
            }
            let isOwn = try await apps.setForwarding(
                forwards, of: HiddenAddressID(rawValue: number), in: visit.session, origin: visit.origin)
            guard isOwn else { throw PageError.notFound }
            return .seeOther(AccountRoutes.path(noting: forwards ? .forwardingOn : .forwardingOff))
        }
    }
}
