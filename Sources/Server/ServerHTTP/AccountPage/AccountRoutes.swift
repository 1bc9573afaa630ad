import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account`: the person's own page.
struct AccountRoutes: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let door: AccountDoor
    /// Whether mail can be sent, and so a new address verified.
    let canChangeEmail: Bool
    /// Who may make a team of app developers.
    let founding: DeveloperRules.Founding

    static let path = "/account"

    /// What has just been done, as named in the address of the page.
    enum Done: String, Sendable {
        case name, email, password
        case signedOut = "signed-out"
        case signedOutOthers = "signed-out-others"
        case forwardingOn = "forwarding-on"
        case forwardingOff = "forwarding-off"
        case stopped
        case stoppedSharing = "stopped-sharing"
        case renewedSharing = "renewed-sharing"
        case deviceRemoved = "device-removed"
    }

    static func path(noting done: Done, app: AppID? = nil) -> String {
        "\(path)?done=\(done.rawValue)" + (app.map { "&app=\($0.rawValue)" } ?? "")
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account", use: show)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.path) { try await page($0) }
    }

    /// What the page shows, read in one snapshot.
    private struct Content: Sendable {
        let person: SignedInPerson
        let organization: Organization?
        let apps: [UsedApp]
        /// Nil if the person does not decide about them.
        let connectedApps: [ConnectedApp]?
        /// Whether the person looks after something of the organization.
        let hasConsole: Bool
        /// Whether the person develops apps, or may begin to.
        let hasPortal: Bool
        let sessions: [BrowserSession.Listed]
        let devices: [RegisteredDevice]
        let addresses: [(address: HiddenAddress, teamName: String)]
        let notice: AccountPage.Notice?
    }

    func page(_ visit: AccountDoor.Visit) async throws -> Response {
        let now = surroundings.now()
        let person = visit.person
        let parameters = try visit.request.queryParameters()
        let (done, app) = (try parameters["done"].flatMap(Done.init), try parameters["app"].flatMap { Int64($0) })
        let content = try await database.read { transaction in
            let organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            let decides =
                try organization?.kind == .school && !person.rolesThatShareData(at: now, in: transaction).isEmpty
            return Content(
                person: try SignedInPerson(person, at: now, in: transaction),
                organization: organization,
                apps: try UsedApp.list(of: person, at: now, in: transaction),
                connectedApps: try decides
                    ? organization.map { try ConnectedApp.list(of: $0, at: now, in: transaction) }
                    : nil,
                hasConsole: try Authority.looksAfterSomething(person, at: now, in: transaction),
                hasPortal: try WaysIntoTeams.leadToPortal(person, under: founding, at: now, in: transaction),
                sessions: try BrowserSession.list(of: person.id, at: now, in: transaction),
                devices: try RegisteredDevice.list(of: person.id, in: transaction),
                addresses: try HiddenAddress.list(of: person.id, in: transaction).map {
                    ($0, try $0.teamID.flatMap { try Team.find($0, in: transaction) }?.name ?? "")
                },
                notice: try done.flatMap {
                    try Self.notice($0, app: app.map(AppID.init), of: person, at: now, in: transaction)
                })
        }
        let isPersonal = content.organization == nil
        return door.respond(
            with: AccountPage(
                person: content.person, account: AccountKind(content.organization), email: person.email,
                apps: content.apps.map(AccountPage.App.init),
                connectedApps: content.connectedApps?.map(AccountPage.ConnectedApp.init),
                sessions: AccountPage.Session.rows(of: content.sessions, in: visit.session) {
                    door.sessions.uses.lastUse(of: $0, at: now)
                },
                devices: content.devices.map(AccountPage.SignInDevice.init),
                hiddenAddresses: content.addresses.map { AccountPage.HiddenAddress($0.address, teamName: $0.teamName) },
                now: now, notice: content.notice, changePasswordPath: AccountPasswordRoutes.path,
                signInWaysPath: SignInWayRoutes.path,
                editNamePath: isPersonal ? AccountDetailsRoutes.namePath : nil,
                changeEmailPath: isPersonal && canChangeEmail ? AccountDetailsRoutes.emailPath : nil,
                deletePath: isPersonal ? AccountDetailsRoutes.deletePath : nil,
                addDevicePath: isPersonal ? nil : AccountDeviceRoutes.addPath,
                consolePath: content.hasConsole ? ConsoleSection.home.path : nil,
                portalPath: content.hasPortal ? PortalSection.start : nil,
                signOutOthers: content.sessions.count > 1 ? Form(action: AccountSessionRoutes.othersPath) : nil),
            at: Self.path, visit)
    }

    private static func notice(
        _ done: Done, app: AppID?, of person: Person, at now: Date, in transaction: some Transaction
    ) throws -> AccountPage.Notice? {
        switch done {
        case .name: return .nameChanged
        case .email: return .emailChanged
        case .password: return .passwordChanged
        case .signedOut: return .signedOutElsewhere
        case .signedOutOthers: return .signedOutOthers
        case .forwardingOn: return .forwardingOn
        case .forwardingOff: return .forwardingOff
        case .deviceRemoved: return .deviceRemoved
        case .stopped:
            // A made-up address must not reveal the name of an app that the person never used.
            guard let app, try SignInConsent.existed(app: app, person: person.id, in: transaction),
                let found = try App.find(app, in: transaction)
            else { return nil }
            return .stoppedUsing(appName: AppName(found))
        case .stoppedSharing, .renewedSharing:
            guard let app,
                let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) }),
                try !person.rolesThatShareData(at: now, in: transaction).isEmpty,
                try Consent.list(of: organization.id, in: transaction).contains(where: { $0.appID == app }),
                let found = try App.find(app, in: transaction)
            else { return nil }
            return done == .renewedSharing
                ? .renewedSharing(appName: AppName(found), organizationName: organization.name)
                : .stoppedSharing(appName: AppName(found), organizationName: organization.name)
        }
    }
}

extension AccountPage.App {
    fileprivate init(_ used: UsedApp) {
        self.init(
            RequestingApp(used.app, used.team, clientID: used.clientID), since: used.consent.grantedAt,
            shared: SharedWithApp(used), stopPath: AccountAppRoutes.stopPath(of: used.app.id))
    }
}

extension SharedWithApp {
    fileprivate init(_ used: UsedApp) {
        let email: Email? =
            switch used.email {
            case .own(let address): .own(address)
            case .hidden(let address): .hidden(address)
            case nil: nil
            }
        self.init(name: used.name, email: email, used.standing)
    }
}

extension AccountPage.SignInDevice {
    fileprivate init(_ device: RegisteredDevice) {
        self.init(
            name: device.name, addedAt: device.registeredAt, usedAt: device.usedAt,
            remove: Form(action: AccountDeviceRoutes.removePath(of: device)))
    }
}

extension AccountPage.HiddenAddress {
    fileprivate init(_ hidden: Authorization.HiddenAddress, teamName: String) {
        self.init(
            address: hidden.address, teamName: teamName, isForwarding: hidden.forwards,
            toggle: Form(action: AccountAppRoutes.addressPath(of: hidden.id)))
    }
}
