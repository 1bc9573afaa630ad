/// The body of a refusal by the token and revocation endpoints. The status is 400, or 401 for an unknown client of the
/// standard profile. RFC 6749 §5.2.
public struct ErrorResponse: Codable, Equatable, Sendable {
    public var error: ErrorCode
    /// A sentence for developers, from the endpoints for signing people in. The endpoints for data sharing send none.
    public var description: String?

    public init(error: ErrorCode, description: String? = nil) {
        self.error = error
        self.description = description
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}

/// An OAuth error word. An open set: a word that is not named here still decodes.
public struct ErrorCode: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The request is malformed: a parameter is missing, repeated or unknown, or it authenticates in several ways.
    public static let invalidRequest = ErrorCode(rawValue: "invalid_request")
    /// The client secret is not accepted. For data sharing, also a redirect URI other than that of the authorization
    /// request.
    public static let invalidClient = ErrorCode(rawValue: "invalid_client")
    /// The code or the refresh token is unknown, used, expired, revoked or another client's.
    public static let invalidGrant = ErrorCode(rawValue: "invalid_grant")
    /// The client may not use this grant type.
    public static let unauthorizedClient = ErrorCode(rawValue: "unauthorized_client")
    /// The endpoint does not support this grant type.
    public static let unsupportedGrantType = ErrorCode(rawValue: "unsupported_grant_type")
    /// A scope is unknown, or the client is not registered for it.
    public static let invalidScope = ErrorCode(rawValue: "invalid_scope")
    /// The person or the administrator has refused. In the redirect back from a page, and when a device asks for
    /// tokens.
    public static let accessDenied = ErrorCode(rawValue: "access_denied")
    /// The compatible profile's word for `access_denied` when a person cancels the sign-in.
    public static let userCancelledAuthorize = ErrorCode(rawValue: "user_cancelled_authorize")
    /// The person has not decided yet. RFC 8628 section 3.5, as are the next two.
    public static let authorizationPending = ErrorCode(rawValue: "authorization_pending")
    /// The person has not decided yet, and the device asks too often: it must add five seconds to its interval.
    public static let slowDown = ErrorCode(rawValue: "slow_down")
    /// The person has not decided in time.
    public static let expiredToken = ErrorCode(rawValue: "expired_token")
    /// The access token is not accepted. RFC 6750 section 3.1.
    public static let invalidToken = ErrorCode(rawValue: "invalid_token")
    /// The server has failed. RFC 6749 section 4.1.2.1.
    public static let serverError = ErrorCode(rawValue: "server_error")
}
