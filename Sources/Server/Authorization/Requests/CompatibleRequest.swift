import Foundation
import Storage

extension AuthorizationRequest {
    /// Validates a request in the protocol of the service that we are compatible with (docs/specifications/sign-in.md,
    /// 1 to 3).
    ///
    /// Only a canceled sign-in is ever sent to the app; other errors stay on the page, with the texts that its
    /// developers know. Parameters that are not listed here belong to other services and are ignored.
    /// - Throws: ``Refusal/page(_:)``
    package static func compatible(
        _ parameters: RequestParameters, ignoredScopes: Set<String> = [], in transaction: some Transaction
    ) throws -> AuthorizationRequest {
        do {
            try parameters.requireNoRepeats()
            let (client, redirectURI, app) = try client(parameters, in: transaction)
            try refuseRequestObjects(parameters)
            let state = try parameters["state"]
            try checkLength(ofState: state)
            let returnsIdentityToken = try returnsIdentityToken(parameters)
            let scopes = try compatibleScopes(parameters, of: app, ignoring: ignoredScopes)
            return AuthorizationRequest(
                profile: .compatible, clientID: client.clientID, redirectURI: redirectURI, scopes: scopes, state: state,
                nonce: try nonce(parameters),
                responseMode: try responseMode(
                    parameters, returnsIdentityToken: returnsIdentityToken, asksForData: !scopes.isEmpty,
                    redirectURI: redirectURI),
                returnsIdentityToken: returnsIdentityToken, codeChallenge: try codeChallenge(parameters, of: app))
        } catch let error as OAuthError {
            throw Refusal.page(error)
        }
    }

    private static func returnsIdentityToken(_ parameters: RequestParameters) throws -> Bool {
        switch try parameters["response_type"].map({ Set($0.split(separator: " ")) }) {
        case ["code"]: return false
        case ["code", "id_token"]: return true
        case nil: throw OAuthError(.invalidRequest, "response_type is missing")
        default: throw OAuthError(.invalidRequest, "response_type is neither code nor code id_token")
        }
    }

    /// The scopes of a request. `openid` is ignored, because the endpoint implies it.
    private static func compatibleScopes(
        _ parameters: RequestParameters, of app: App, ignoring ignored: Set<String>
    ) throws -> ScopeSet {
        let text = try parameters["scope"] ?? ""
        guard let scopes = ScopeSet(text: text, ignoring: ignored.union(["openid"])), scopes.isSubset(of: .compatible),
            scopes.isSubset(of: app.scopes)
        else {
            throw OAuthError(.invalidScope, "Application is not authorized to access the requested information.")
        }
        return scopes
    }

    /// The response mode. Where browsers cannot post a form, what the person shares is put into the address: that leads
    /// to a program on their own device, so no server logs it. docs/specifications/sign-in.md, 2.1 to 2.4.
    private static func responseMode(
        _ parameters: RequestParameters, returnsIdentityToken: Bool, asksForData: Bool, redirectURI: String
    ) throws -> ResponseMode {
        let text = try parameters["response_mode"]
        guard let mode = text.map({ ResponseMode(rawValue: $0) }) ?? (returnsIdentityToken ? .fragment : .query) else {
            throw OAuthError(.invalidRequest, "Invalid response mode")
        }
        let isPrivate = ReturnURL.isPrivate(redirectURI)
        switch mode {
        case .formPost, .webMessage:
            guard !isPrivate else { throw OAuthError(.invalidRequest, "Invalid response mode") }
            return mode
        case .query, .fragment:
            guard !asksForData || isPrivate else {
                throw OAuthError(
                    .invalidRequest, "response_mode must be form_post when name or email scope is requested.")
            }
            guard mode == .fragment || !returnsIdentityToken else {
                throw OAuthError(.invalidRequest, "Invalid response mode")
            }
            return mode
        }
    }
}
