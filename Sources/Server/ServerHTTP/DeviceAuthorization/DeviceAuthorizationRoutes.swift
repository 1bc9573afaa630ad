import Administration
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI
import ServerPages

/// Devices without a browser: `POST /oidc/device_authorization` for them, `/device` for the person. RFC 8628.
struct DeviceAuthorizationRoutes: Sendable {
    let devices: DeviceAuthorizationService
    let terminals: TerminalSignIns
    let requests: AuthorizationRequests
    let endpoint: TokenEndpoint
    let baseURL: String
    /// The budget of wrong codes, so that valid ones cannot be found by trying. RFC 8628 §5.1.
    let wrongCodes: FailureBudget

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("oidc/device_authorization", use: authorizeDevice)
        router.get("device", use: show)
        router.post("device", use: enter)
    }

    @Sendable private func authorizeDevice(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        let credentials = try await endpoint.authenticate(request, form)
        let codes = try await devices.begin(
            for: credentials, scope: try form["scope"], nonce: try form["nonce"],
            address: AddressBlock(context.remoteAddress))
        return try .json(
            DeviceAuthorizationResponse(
                deviceCode: codes.deviceCode.text, userCode: codes.userCode, verificationURI: "\(baseURL)/device",
                verificationURIComplete: "\(baseURL)/device?user_code=\(codes.userCode)",
                expiresIn: Int(DeviceAuthorization.lifetime), interval: DeviceAuthorization.pause))
    }

    // MARK: The person's page

    /// The code may be in the address. The person has to confirm it nevertheless, so that nobody is led past the page
    /// (RFC 8628 §5.4).
    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let code = try request.queryParameters()["user_code"] ?? ""
        return requests.pages.respond(
            with: DeviceCodePage(form: Form(action: "/device"), userCode: String(code.prefix(32))), to: request,
            context)
    }

    @Sendable private func enter(_ request: Request, context: AppContext) async throws -> Response {
        let visitor = requests.pages.visitor(of: request)
        let form = try await request.formParameters(context)
        try visitor.check(form)
        let code = try form["user_code"] ?? ""
        let address = AddressBlock(context.remoteAddress)
        func page(_ problem: DeviceCodePage.Problem, _ status: HTTPResponse.Status) -> Response {
            requests.pages.respond(
                with: DeviceCodePage(
                    form: Form(action: "/device"), userCode: String(code.prefix(32)), problem: problem),
                status: status, to: request, context, visitor: visitor, currentPath: "/device")
        }
        do {
            try wrongCodes.take(address)
        } catch let exhausted as FailureBudget.Exhausted {
            let seconds = exhausted.seconds(from: requests.surroundings.now())
            var response = page(.tooManyAttempts(minutes: (seconds + 59) / 60), .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        }
        guard let waiting = try await devices.request(userCode: code) else {
            guard let terminal = try await terminals.waiting(userCode: code) else {
                return page(.unknownCode, .unprocessableContent)
            }
            wrongCodes.giveBack(1, to: address)
            return .seeOther(TerminalApprovalRoutes.path(of: terminal.userCode))
        }
        wrongCodes.giveBack(1, to: address)
        var response = try await requests.park(waiting, for: visitor, context)
        response.status = .seeOther
        return response
    }
}
