/// What the token endpoint answers, with status 200. RFC 6749 section 5.1.
public struct TokenResponse: Codable, Equatable, Sendable {
    public var accessToken: String
    /// `Bearer`; compare without regard to case.
    public var tokenType: String
    /// The life of the access token in seconds, 3600 as a rule.
    public var expiresIn: Int?
    /// Present when a code was exchanged. On a refresh it is absent and the old one stays valid; in the standard
    /// profile it is present, and the old one is used up.
    public var refreshToken: String?
    /// A signed JWT about the person who consented.
    public var idToken: String?
    /// Space-separated; absent if all that was asked for was granted.
    public var scope: String?

    public init(
        accessToken: String,
        tokenType: String = "Bearer",
        expiresIn: Int?,
        refreshToken: String? = nil,
        idToken: String? = nil,
        scope: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case scope
    }
}
