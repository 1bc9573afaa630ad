import LanyardAPI

/// The document that tells clients about the server: OpenID Connect Discovery §3, RFC 8414 §2.
///
/// ``LanyardAPI/ProviderMetadata`` is the part that `LanyardClient` reads. It does not have the other fields, because
/// it also reads the documents of other providers, and an unexpected value in a field that is not needed must not make
/// sign-in fail.
struct DiscoveryDocument: Encodable {
    let metadata: ProviderMetadata
    let capabilities: Capabilities

    func encode(to encoder: any Encoder) throws {
        try metadata.encode(to: encoder)
        try capabilities.encode(to: encoder)
    }

    /// What the server supports, besides its endpoints. Fields that do not apply to a profile are nil and left out.
    struct Capabilities: Encodable {
        var scopes: [String]
        var claims: [String]
        var responseTypes = ["code"]
        var responseModes = ["query", "fragment", "form_post"]
        var grantTypes: [String]?
        var subjectTypes = ["pairwise"]
        var identityTokenSigningAlgorithms: [String]
        var tokenEndpointAuthMethods: [String]
        var tokenEndpointAuthSigningAlgorithms: [String]?
        var revocationEndpointAuthMethods: [String]?
        var revocationEndpointAuthSigningAlgorithms: [String]?
        var prompts: [String]?
        var authenticationContexts: [String]?
        var pageLanguages: [String]?
        var hasBackChannelLogout: Bool?
        var hasBackChannelLogoutSessions: Bool?
        var takesClaimsParameter: Bool?
        var takesRequestParameter: Bool?
        var takesRequestURIParameter: Bool?

        enum CodingKeys: String, CodingKey {
            case scopes = "scopes_supported"
            case claims = "claims_supported"
            case responseTypes = "response_types_supported"
            case responseModes = "response_modes_supported"
            case grantTypes = "grant_types_supported"
            case subjectTypes = "subject_types_supported"
            case identityTokenSigningAlgorithms = "id_token_signing_alg_values_supported"
            case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
            case tokenEndpointAuthSigningAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
            case revocationEndpointAuthMethods = "revocation_endpoint_auth_methods_supported"
            case revocationEndpointAuthSigningAlgorithms = "revocation_endpoint_auth_signing_alg_values_supported"
            case prompts = "prompt_values_supported"
            case authenticationContexts = "acr_values_supported"
            case pageLanguages = "ui_locales_supported"
            case hasBackChannelLogout = "backchannel_logout_supported"
            case hasBackChannelLogoutSessions = "backchannel_logout_session_supported"
            case takesClaimsParameter = "claims_parameter_supported"
            case takesRequestParameter = "request_parameter_supported"
            case takesRequestURIParameter = "request_uri_parameter_supported"
        }
    }
}
