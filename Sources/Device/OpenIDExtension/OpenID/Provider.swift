import ExtensionVault
import Ground
import SingleSignOnWire
import Synchronization
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An OpenID Connect or OAuth provider's endpoints, for one client.
struct Provider: Sendable {
    let http: HTTPClient
    let settings: Settings
    let metadata: ProviderMetadata
    let client: String
    /// Reads or makes the device's key when it is needed.
    let deviceKey: @Sendable () throws -> DeviceKey
    let nonces: Nonces
    let surroundings: Surroundings

    /// The latest DPoP nonce of each origin, for the next proof. RFC 9449 §8.
    final class Nonces: Sendable {
        private let values = Mutex<[WebOrigin: String]>([:])

        subscript(origin: WebOrigin) -> String? {
            get { values.withLock { $0[origin] } }
            set { values.withLock { $0[origin] = newValue } }
        }
    }

    struct TokenAnswer: Decodable, Sendable {
        let accessToken: String
        let tokenType: String?
        let expiresIn: Double?
        let refreshToken: String?
        let identityToken: String?
        let scope: String?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case expiresIn = "expires_in"
            case refreshToken = "refresh_token"
            case identityToken = "id_token"
            case scope
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            accessToken = try container.decode(String.self, forKey: .accessToken)
            tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
            refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
            identityToken = try container.decodeIfPresent(String.self, forKey: .identityToken)
            scope = try container.decodeIfPresent(String.self, forKey: .scope)
            // Some providers send the number as a string.
            expiresIn =
                (try? container.decodeIfPresent(Double.self, forKey: .expiresIn))
                ?? (try? container.decodeIfPresent(String.self, forKey: .expiresIn)).flatMap(Double.init)
                .flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// An error response of an OAuth endpoint. RFC 6749 §5.2.
    struct Refusal: Error, Decodable, CustomStringConvertible {
        let error: String
        let details: String?

        enum CodingKeys: String, CodingKey {
            case error
            case details = "error_description"
        }

        var description: String {
            "The provider refuses: \(error)" + (details.map { " (\($0.prefix(200)))" } ?? "") + "."
        }
    }

    static func discover(
        _ issuer: String, settings: Settings, http: HTTPClient
    ) async throws -> ProviderMetadata {
        for address in ProviderMetadata.addresses(of: issuer) where address.isSafe {
            var request = HTTPRequest(address)
            request.certificateAuthorities = settings.certificateAuthorities
            let reply = try await http.send(request)
            if reply.status == 200 { return try ProviderMetadata.read(reply.body, of: issuer) }
        }
        throw AuthorizationFailure(
            .failed, "\(issuer) publishes no description of itself: is ExtensionData.issuer right?")
    }

    func keys() async throws -> KeySet {
        guard let address = metadata.jwksURI, let url = URL(string: address) else { throw IdentityToken.KeyMissing() }
        var request = HTTPRequest(url)
        request.certificateAuthorities = settings.certificateAuthorities
        let reply = try await http.send(request)
        guard reply.status == 200, let keys = try? JSONDecoder().decode(KeySet.self, from: reply.body) else {
            throw AuthorizationFailure(.failed, "\(url.place) publishes no usable keys.")
        }
        return keys
    }

    /// Sends a request to the token endpoint.
    /// - Throws: ``Refusal``, ``HTTPFailure``, `AuthorizationFailure`
    func tokens(_ fields: [FormField], idempotencyKey: String? = nil) async throws -> TokenAnswer {
        // A quoted string: draft-ietf-httpapi-idempotency-key-header §2.1.
        let headers = idempotencyKey.map { [HeaderField("Idempotency-Key", "\"\($0)\"")] } ?? []
        let reply = try await post(fields, headers, to: metadata.tokenEndpoint)
        if let refusal = refusal(reply) { throw refusal }
        guard reply.status == 200, let answer = try? JSONDecoder().decode(TokenAnswer.self, from: reply.body) else {
            throw AuthorizationFailure(
                .failed, "The provider's token endpoint answers with status \(reply.status) and no tokens.")
        }
        return answer
    }

    /// Revokes a token. RFC 7009. A failure is only logged: the token is deleted here in any case.
    func revoke(_ token: String, hint: String) async {
        guard let endpoint = metadata.revocationEndpoint else { return }
        do {
            let reply = try await post(
                [FormField("token", token), FormField("token_type_hint", hint)], to: endpoint)
            if let refusal = refusal(reply) { writeToLog("a token is not revoked. \(refusal)") }
        } catch {
            writeToLog("a token is not revoked: \(error)")
        }
    }

    private func refusal(_ reply: HTTPReply) -> Refusal? {
        reply.status == 200 ? nil : try? JSONDecoder().decode(Refusal.self, from: reply.body)
    }

    private func post(
        _ fields: [FormField], _ headers: [HeaderField] = [], to endpoint: String
    ) async throws -> HTTPReply {
        guard let url = URL(string: endpoint), let origin = url.origin else {
            throw AuthorizationFailure(.failed, "The provider names no usable address.")
        }
        let sent = nonces[origin]
        let reply = try await http.send(authenticated(fields, headers, url: url, nonce: sent))
        guard settings.dpop, let nonce = reply.headers["DPoP-Nonce"] else { return reply }
        nonces[origin] = nonce
        guard nonce != sent, refusal(reply)?.error == "use_dpop_nonce" else { return reply }
        return try await http.send(authenticated(fields, headers, url: url, nonce: nonce))
    }

    /// Adds the client's authentication and a DPoP proof. RFC 6749 §2.3, RFC 7523 §2.2, RFC 9449 §5.
    private func authenticated(
        _ fields: [FormField], _ headers: [HeaderField], url: URL, nonce: String?
    ) throws -> HTTPRequest {
        var fields = fields
        var headers = headers + [HeaderField("Accept", "application/json")]
        switch settings.clientAuthentication {
        case .none: fields.append(FormField("client_id", client))
        case .clientSecretPost:
            fields += [FormField("client_id", client), FormField("client_secret", settings.clientSecret ?? "")]
        case .clientSecretBasic:
            let pair = "\(FormEncoding.escape(client)):\(FormEncoding.escape(settings.clientSecret ?? ""))"
            headers.append(HeaderField("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())"))
        case .privateKeyJWT:
            let assertion = try deviceKey().clientAssertion(
                client: client, audience: metadata.tokenEndpoint, facts: .read(), surroundings: surroundings)
            fields += [
                FormField("client_id", client),
                FormField("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                FormField("client_assertion", assertion),
            ]
        }
        if settings.dpop {
            let proof = try deviceKey().proof(method: "POST", url: url, nonce: nonce, surroundings: surroundings)
            headers.append(HeaderField("DPoP", proof))
        }
        var request = HTTPRequest.form(url, fields)
        request.headers += headers
        request.certificateAuthorities = settings.certificateAuthorities
        return request
    }
}
