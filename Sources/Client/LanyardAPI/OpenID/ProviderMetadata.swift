/// Where a provider's endpoints are and what they understand. OpenID Connect Discovery section 3, RFC 8414.
///
/// Further members of a provider's document are ignored.
public struct ProviderMetadata: Codable, Equatable, Sendable {
    /// The `iss` of what the provider signs, byte for byte.
    public var issuer: String
    public var authorizationEndpoint: String
    public var tokenEndpoint: String
    public var jwksURI: String
    public var userInfoEndpoint: String?
    public var revocationEndpoint: String?
    /// RFC 8628 section 4.
    public var deviceAuthorizationEndpoint: String?
    public var endSessionEndpoint: String?
    public var codeChallengeMethodsSupported: [String]?
    /// Whether the answer to an authorization request names the issuer. RFC 9207 section 3.
    public var authorizationResponseIssuerSupported: Bool?

    public init(
        issuer: String,
        authorizationEndpoint: String,
        tokenEndpoint: String,
        jwksURI: String,
        userInfoEndpoint: String? = nil,
        revocationEndpoint: String? = nil,
        deviceAuthorizationEndpoint: String? = nil,
        endSessionEndpoint: String? = nil,
        codeChallengeMethodsSupported: [String]? = nil,
        authorizationResponseIssuerSupported: Bool? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.jwksURI = jwksURI
        self.userInfoEndpoint = userInfoEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.codeChallengeMethodsSupported = codeChallengeMethodsSupported
        self.authorizationResponseIssuerSupported = authorizationResponseIssuerSupported
    }

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case userInfoEndpoint = "userinfo_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case deviceAuthorizationEndpoint = "device_authorization_endpoint"
        case endSessionEndpoint = "end_session_endpoint"
        case codeChallengeMethodsSupported = "code_challenge_methods_supported"
        case authorizationResponseIssuerSupported = "authorization_response_iss_parameter_supported"
    }
}
