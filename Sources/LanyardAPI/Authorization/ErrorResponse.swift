/// What the token and revocation endpoints answer to a request they refuse, always with status 400.
///
/// One key only; there is no description on the wire.
public struct ErrorResponse: Codable, Equatable, Sendable {
    public var error: ErrorCode

    public init(error: ErrorCode) {
        self.error = error
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
    /// In the redirect back from the consent page only: the person said no.
    public static let accessDenied = ErrorCode(rawValue: "access_denied")
}
