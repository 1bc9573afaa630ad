import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import NIOCore

/// `POST /device-session`: a device signs its person in with an assertion that its key has signed, and gets the session
/// cookie that a browser gets at sign-in. docs/specifications/sign-in.md, 13.6 and 13.7.
struct DeviceSessionRoutes: Sendable {
    let signIn: DeviceSignIn
    let surroundings: Surroundings
    /// The budget of invalid assertions. A signature cannot be guessed, so this only limits the load and the log.
    let wrongAssertions: FailureBudget
    let isSecure: Bool

    static let path = "/device-session"

    /// The limits are high, because a school has many devices behind one address, and removed devices keep asking.
    static func limits() -> FailureBudget.Limits {
        var limits = FailureBudget.Limits()
        limits.burst = 1_000
        limits.perMinute = 120
        return limits
    }

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("device-session", use: begin)
    }

    @Sendable private func begin(_ request: Request, context: AppContext) async throws -> Response {
        try request.refuseBrowsers()
        let assertion = try await assertion(request, context)
        let session: Secret
        do {
            session = try await signIn.signIn(
                assertion, userAgent: request.headers[.userAgent], origin: .request(context))
        } catch let refusal as DeviceRefusal {
            // Failures are counted afterwards, and so never block a device with a valid assertion. Otherwise, since a
            // school has one address, a single pupil could lock out all others.
            if case .invalidAssertion = refusal {
                try wrongAssertions.takeForDevice(AddressBlock(context.remoteAddress), at: surroundings.now())
            }
            throw refusal
        }
        var response = Response(status: .noContent, headers: [.cacheControl: "no-store"])
        response.set(.session, to: session.text, maxAge: Int(BrowserSession.lifetime), isSecure: isSecure)
        return response
    }

    private func assertion(_ request: Request, _ context: AppContext) async throws -> String {
        let type = request.mediaType
        guard type == "application/jwt" || type == FormEncoding.contentType else {
            throw DeviceRefusal.unsupportedType(expected: "\(FormEncoding.contentType) or application/jwt")
        }
        let body = try await request.deviceBody(context)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw DeviceRefusal.invalidRequest("the body is no UTF-8")
        }
        guard type != "application/jwt" else { return text.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard let fields = FormEncoding.decode(text) else {
            throw DeviceRefusal.invalidRequest("the body is not percent-encoded UTF-8")
        }
        guard let assertion = try RequestParameters(fields)["assertion"] else {
            throw DeviceRefusal.invalidRequest("assertion is missing")
        }
        return assertion
    }
}
