import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a provider says of itself. OpenID Connect Discovery §3, RFC 8414 §2.
struct ProviderMetadata: Sendable, Decodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let jwksURI: String?
    let revocationEndpoint: String?
    let endSessionEndpoint: String?
    let sendsIssuer: Bool?
    let scopes: [String]?

    enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case revocationEndpoint = "revocation_endpoint"
        case endSessionEndpoint = "end_session_endpoint"
        case sendsIssuer = "authorization_response_iss_parameter_supported"
        case scopes = "scopes_supported"
    }

    /// - Throws: `AuthorizationFailure`
    static func read(_ data: Data, of issuer: String) throws -> ProviderMetadata {
        guard let metadata = try? JSONDecoder().decode(ProviderMetadata.self, from: data) else {
            throw AuthorizationFailure(.failed, "\(issuer) publishes no usable description of itself.")
        }
        // Discovery §4.3: one that speaks for another issuer is not to be believed.
        guard metadata.issuer == issuer else {
            throw AuthorizationFailure(
                .failed, "\(issuer) calls itself “\(metadata.issuer)”: write that as ExtensionData.issuer.")
        }
        let addresses = [
            metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.jwksURI, metadata.revocationEndpoint,
            metadata.endSessionEndpoint,
        ]
        for case let address? in addresses where URL(string: address)?.isSafe != true {
            throw AuthorizationFailure(.failed, "\(issuer) names the address \(address), which is not https.")
        }
        return metadata
    }

    /// Where the description may be, the likeliest first.
    static func addresses(of issuer: String) -> [URL] {
        let bare = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        var addresses = ["\(bare)/.well-known/openid-configuration"]
        if let url = URL(string: bare),
            let origin = bare.firstRange(of: "://").flatMap({ range in
                bare[range.upperBound...].firstIndex(of: "/").map { String(bare[..<$0]) } ?? bare
            })
        {
            addresses.append("\(origin)/.well-known/oauth-authorization-server\(url.path())")
        }
        return addresses.compactMap { URL(string: $0) }
    }
}
