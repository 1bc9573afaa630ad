import Authorization
import Directory
import HTTPTypes
import Hummingbird
import ServerPages
import Storage

/// `/account/devices/…`: add a device that signs the person in, or remove one. Personal accounts do not have these
/// pages.
struct AccountDeviceRoutes: Sendable {
    let database: any Database
    let registrar: DeviceRegistrar
    let confirmation: PasswordConfirmation
    let door: AccountDoor

    static let addPath = "/account/devices/add"
    static func removePath(of device: RegisteredDevice) -> String { "/account/devices/\(device.publicID)/remove" }

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("account/devices/add", use: show)
        router.post("account/devices/add", use: add)
        router.post("account/devices/{device}/remove", use: remove)
        // A browser that reloads the answer to a form may send a GET here.
        router.get("account/devices/{device}/remove") { _, _ in Response.seeOther(AccountRoutes.path) }
    }

    /// The organization that owns the account. Personal accounts have no devices.
    private func owner(of visit: AccountDoor.Visit) async throws -> Badge {
        guard let id = visit.person.organizationID,
            let organization = try await database.read({ try Organization.find(id, in: $0) })
        else { throw PageError.notFound }
        return Badge(organization)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, at: Self.addPath) { visit in
            let owner = try await owner(of: visit)
            let count = try await database.read { try RegisteredDevice.count(of: visit.person.id, in: $0) }
            return page(count < RegisteredDevice.perPersonMax ? nil : Self.tooMany, owner, visit, status: .ok)
        }
    }

    /// Asks for the password, because a device stays registered: nobody should add one in a browser that was left open.
    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: Self.addPath) { visit, form in
            let owner = try await owner(of: visit)
            do {
                return try await add(visit, owner, form)
            } catch is PasswordHasher.Overloaded {
                return page(.busy, owner, visit).whileBusy()
            } catch DeviceRefusal.tooManyDevices {
                return page(Self.tooMany, owner, visit)
            }
        }
    }

    private func add(
        _ visit: AccountDoor.Visit, _ owner: Badge, _ form: RequestParameters
    ) async throws -> Response {
        switch try await confirmation.confirm(try form["current_password"] ?? "", in: visit.session) {
        case .confirmed: break
        case .wrong: return page(.wrongPassword, owner, visit)
        case .mustWait(let minutes):
            return page(.tooManyAttempts(minutes: minutes), owner, visit).retrying(after: minutes)
        case .sessionEnded: return .seeOther(Self.addPath)
        }
        guard let code = try await registrar.issueCode(in: visit.session, origin: visit.origin) else {
            return .seeOther(Self.addPath)
        }
        return door.respond(
            with: DeviceRegistrationPage(
                code: code.text, minutes: Int(DeviceRegistrationCode.lifetime) / 60, owner: owner,
                accountPath: AccountRoutes.path),
            at: Self.addPath, visit)
    }

    private static let tooMany = AddDevicePage.Problem.tooManyDevices(max: RegisteredDevice.perPersonMax)

    private func page(
        _ problem: AddDevicePage.Problem?, _ owner: Badge, _ visit: AccountDoor.Visit,
        status: HTTPResponse.Status = .unprocessableContent
    ) -> Response {
        door.respond(
            with: AddDevicePage(
                form: Form(action: Self.addPath), owner: owner, problem: problem, cancelPath: AccountRoutes.path),
            status: status, at: Self.addPath, visit)
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, at: AccountRoutes.path) { visit, _ in
            // If the device was removed in the meantime, the person has what they asked for.
            try await registrar.remove(
                context.parameters.get("device") ?? "", in: visit.session, origin: visit.origin)
            return .seeOther(AccountRoutes.path(noting: .deviceRemoved))
        }
    }
}
