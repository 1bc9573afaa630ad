/// A refusal in the words of OAuth 2.0, with a reason for the log only.
///
/// Clients get only the error code (roster API: `{"error": "…"}`), so that an attacker learns nothing from it. The log
/// line with the same request id says which check failed. A description is sent too where existing clients know it.
package struct OAuthError: Error, Sendable {
    /// The error codes of RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, RFC 8628 §3.5 and RFC 6750 §3.1.
    package enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case accessDenied = "access_denied"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        /// Defined in "OpenID Connect Core Error Code unmet_authentication_requirements 1.0".
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        case invalidToken = "invalid_token"
    }

    package let code: Code
    /// For the operator: which check failed, without secrets.
    package let reason: String
    /// `error_description`, where the protocol has one.
    package let description: String?

    package init(_ code: Code, _ reason: String, description: String? = nil) {
        self.code = code
        self.reason = reason
        self.description = description
    }

    /// A refusal whose reason the client gets as the description.
    package static func telling(_ code: Code, _ reason: String) -> OAuthError {
        OAuthError(code, reason, description: reason)
    }
}
