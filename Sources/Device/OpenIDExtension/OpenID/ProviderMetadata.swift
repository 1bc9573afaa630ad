import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The metadata that a provider publishes. OpenID Connect Discovery §3, RFC 8414 §2.
struct ProviderMetadata: Sendable, Decodable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let jwksURI: String?
    let revocationEndpoint: String?
    let endSessionEndpoint: String?
    let sendsIssuer: Bool?

    enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case revocationEndpoint = "revocation_endpoint"
        case endSessionEndpoint = "end_session_endpoint"
        case sendsIssuer = "authorization_response_iss_parameter_supported"
    }

    /// Decodes metadata and checks that it is about `issuer` and names https URLs only.
    /// - Throws: `AuthorizationFailure`
    static func read(_ data: Data, of issuer: String) throws -> ProviderMetadata {
        guard let metadata = try? JSONDecoder().decode(ProviderMetadata.self, from: data) else {
            throw AuthorizationFailure(.failed, "\(issuer) publishes no usable description of itself.")
        }
        // Discovery §4.3: without this check, a server could pass off its endpoints as another issuer's.
        guard metadata.issuer == issuer else {
            throw AuthorizationFailure(
                .failed, "\(issuer) calls itself “\(metadata.issuer)”: write that as ExtensionData.issuer.")
        }
        for address in metadata.addresses where URL(string: address)?.isSafe != true {
            throw AuthorizationFailure(.failed, "\(issuer) names the address \(address), which is not https.")
        }
        return metadata
    }

    private var addresses: [String] {
        [authorizationEndpoint, tokenEndpoint, jwksURI, revocationEndpoint, endSessionEndpoint].compactMap { $0 }
    }

    /// Checks that all endpoints are on hosts that the profile trusts, because secrets and passwords are sent there.
    /// Otherwise any server at a URL of the profile could name other hosts. A profile that names `issuer` trusts them
    /// all.
    /// - Throws: `AuthorizationFailure`
    func check(_ settings: Settings) throws {
        guard let url = URL(string: issuer) else { return }
        let boundary = ProviderBoundary([url], hosts: settings.identityProviderHosts)
        for address in addresses.compactMap({ URL(string: $0) }) {
            guard settings.issuer != nil || boundary.contains(address) else {
                throw AuthorizationFailure(
                    .failed,
                    "\(issuer) names \(address.place), which the profile does not: write ExtensionData.issuer, or that host "
                        + "among ExtensionData.identityProviderHosts.")
            }
            guard address.scheme?.lowercased() == "https" || url.isLoopback else {
                throw AuthorizationFailure(.failed, "\(issuer) names the address \(address), which is not https.")
            }
        }
    }

    /// The URLs where an issuer's metadata may be, the likeliest first. OpenID Connect Discovery §4, RFC 8414 §3.
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
