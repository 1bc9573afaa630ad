/// A refusal in the words of OAuth 2.0, with the reason that only the log sees.
///
/// The wire carries one word (roster-api: `{"error": "…"}`), so that guessing teaches nothing; the log line with
/// the same request id says which check failed.
package struct OAuthError: Error, Sendable {
    /// RFC 6749 §4.1.2.1 and §5.2.
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
    }

    package let code: Code
    /// For the operator: which check failed, without secrets.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
