/// What the token and revocation endpoints answer to a request they refuse: with status 400, or, to an unknown client
/// of the standard profile, 401.
public struct ErrorResponse: Codable, Equatable, Sendable {
    public var error: ErrorCode
    /// A sentence for developers, from the endpoints for signing people in. Those for data sharing send none.
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

    public static let invalidRequest = ErrorCode(rawValue: "invalid_request")
    /// The client secret is not accepted, or the redirect URI is not the one of the authorization request.
    public static let invalidClient = ErrorCode(rawValue: "invalid_client")
    /// The code or the refresh token is unknown, used, expired, revoked or another client's.
    public static let invalidGrant = ErrorCode(rawValue: "invalid_grant")
    public static let unauthorizedClient = ErrorCode(rawValue: "unauthorized_client")
    public static let unsupportedGrantType = ErrorCode(rawValue: "unsupported_grant_type")
    public static let invalidScope = ErrorCode(rawValue: "invalid_scope")
    /// The person, or the administrator, said no. In the redirect back from a page, and when a device asks for tokens.
    public static let accessDenied = ErrorCode(rawValue: "access_denied")
    /// What `access_denied` is called when a person does not sign in after all.
    public static let userCancelledAuthorize = ErrorCode(rawValue: "user_cancelled_authorize")
    /// The person has not decided yet. RFC 8628 section 3.5, as are the next two.
    public static let authorizationPending = ErrorCode(rawValue: "authorization_pending")
    /// The same, and the device asks too often: five seconds more from now on.
    public static let slowDown = ErrorCode(rawValue: "slow_down")
    /// The person has not decided in time.
    public static let expiredToken = ErrorCode(rawValue: "expired_token")
    /// The access token is not accepted. RFC 6750 section 3.1.
    public static let invalidToken = ErrorCode(rawValue: "invalid_token")
    public static let serverError = ErrorCode(rawValue: "server_error")
}
