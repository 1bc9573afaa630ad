import HTTPTypes
import Hummingbird

/// Adds the security headers that every answer has. Pages add their own content security policy, opener policy and
/// referrer policy; files that other sites may load add their own resource policy.
struct SecurityHeaders: RouterMiddleware {
    let isSecure: Bool

    /// The content security policy of answers that are not pages.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "same-origin" }
        if response.headers[.openerPolicy] == nil {
            // Browsers apply the policy to redirects too, of which a sign-in has many.
            let policy: OpenerPolicy = response.headers[.location] != nil ? .keepsOpener : .isolated
            response.headers[.openerPolicy] = policy.rawValue
        }
        if response.headers[.resourcePolicy] == nil { response.headers[.resourcePolicy] = "same-origin" }
        response.headers[.frameOptions] = "DENY"
        response.headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = Self.strictPolicy
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000; includeSubDomains" }
        return response
    }
}

extension HTTPField.Name {
    // Each is a valid token.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
    static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
}
