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
        Self.add(to: &response.headers)
        if isSecure { Self.addTransportSecurity(to: &response.headers) }
        return response
    }

    /// Adds those that are missing.
    static func add(to fields: inout HTTPFields) {
        func add(_ name: HTTPField.Name, _ value: String) {
            if !fields.contains(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        add(.xContentTypeOptions, "nosniff")
        add(.referrerPolicy, "same-origin")
        // Browsers apply the policy to redirects too, of which a sign-in has many.
        add(.openerPolicy, (fields.contains(.location) ? OpenerPolicy.keepsOpener : .isolated).rawValue)
        add(.resourcePolicy, "same-origin")
        add(.frameOptions, "DENY")
        add(.permissionsPolicy, "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
        add(.contentSecurityPolicy, strictPolicy)
        add(.cacheControl, "no-store")
    }

    /// A year, for all hosts below that of the server.
    static let transportSecurity = "max-age=31536000; includeSubDomains"

    static func addTransportSecurity(to fields: inout HTTPFields) {
        fields[.strictTransportSecurity] = transportSecurity
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
