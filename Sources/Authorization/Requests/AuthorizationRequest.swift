import Directory
import Foundation
import Storage

/// An authorization request that was found valid: it names a client, one of its return URLs, and scopes that the
/// client may ask for. RFC 6749 §4.1.1, RFC 7636.
package struct AuthorizationRequest: Equatable, Sendable {
    package enum ResponseMode: String, Sendable, SQLConvertible {
        case query
        case fragment
        case formPost = "form_post"
    }

    package let clientID: String
    package let redirectURI: String
    package let scopes: ScopeSet
    package let state: String?
    package let nonce: String?
    package let responseMode: ResponseMode
    /// S256.
    package let codeChallenge: String?

    /// Why a request was refused: errors may go back to the app only once its return URL is known to be its own.
    package enum Refusal: Error, Sendable {
        /// For the person at the browser; nothing is redirected.
        case page(OAuthError)
        case redirect(OAuthError, AuthorizationResponse)
    }

    static let stateBytesMax = 4_096
    static let nonceBytesMax = 1_024

    /// - Parameter ignoredScopes: scopes of other services, when the operator lets them pass.
    /// - Throws: ``Refusal``
    package static func validate(
        _ parameters: Parameters, ignoredScopes: Set<String> = [], in transaction: some Transaction
    ) throws -> AuthorizationRequest {
        let (clientID, redirectURI, app) = try onPage {
            guard let clientID = try parameters["client_id"] else {
                throw OAuthError(.invalidRequest, "client_id is missing" + hint(parameters, "clientid", "clientId"))
            }
            guard let redirectURI = try parameters["redirect_uri"] else {
                throw OAuthError(
                    .invalidRequest, "redirect_uri is missing" + hint(parameters, "redirecturi", "redirectUri"))
            }
            guard let app = try App.find(clientID: clientID, in: transaction) else {
                throw OAuthError(.invalidClient, "there is no client with the client_id “\(clientID.prefix(255))”")
            }
            guard try app.hasReturnURL(redirectURI, in: transaction) else {
                throw OAuthError(
                    .unauthorizedClient, "“\(redirectURI.prefix(2_048))” is not a return URL of the client")
            }
            return (clientID, redirectURI, app)
        }
        // From here on the app hears of its mistakes, in the mode that it asked for if that can be told.
        let state = try onPage { try parameters["state"] }
        let mode = try onPage { try parameters["response_mode"].map { ResponseMode(rawValue: $0) } ?? .query }
        let response = AuthorizationResponse(redirectURI: redirectURI, mode: mode ?? .query, state: state)
        do {
            guard (state?.utf8.count ?? 0) <= stateBytesMax else {
                throw OAuthError(.invalidRequest, "state is longer than \(stateBytesMax) bytes")
            }
            guard let mode else {
                throw OAuthError(.invalidRequest, "response_mode is none of query, fragment, form_post")
            }
            guard let responseType = try parameters["response_type"] else {
                throw OAuthError(.invalidRequest, "response_type is missing")
            }
            guard responseType == "code" else {
                throw OAuthError(.unsupportedResponseType, "response_type is “\(responseType.prefix(64))”, not code")
            }
            let nonce = try parameters["nonce"]
            guard (nonce?.utf8.count ?? 0) <= nonceBytesMax else {
                throw OAuthError(.invalidRequest, "nonce is longer than \(nonceBytesMax) bytes")
            }
            return AuthorizationRequest(
                clientID: clientID, redirectURI: redirectURI,
                scopes: try scopes(parameters, of: app, ignoring: ignoredScopes), state: state, nonce: nonce,
                responseMode: mode, codeChallenge: try codeChallenge(parameters))
        } catch let error as OAuthError {
            throw Refusal.redirect(error, response)
        }
    }

    private static func onPage<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as OAuthError {
            throw Refusal.page(error)
        }
    }

    private static func hint(_ parameters: Parameters, _ misspellings: String...) -> String {
        misspellings.first(where: parameters.names.contains).map { " (there is a “\($0)”)" } ?? ""
    }

    private static func scopes(
        _ parameters: Parameters, of app: App, ignoring ignored: Set<String>
    ) throws -> ScopeSet {
        guard let text = try parameters["scope"] else { throw OAuthError(.invalidScope, "scope is missing") }
        guard let scopes = ScopeSet(text: text, ignoring: ignored) else {
            throw OAuthError(.invalidScope, "scope names something that is no scope of this service")
        }
        guard !scopes.isEmpty else { throw OAuthError(.invalidScope, "scope names nothing of this service") }
        guard !scopes.isTest || scopes.scopes == [.testRead] else {
            throw OAuthError(.invalidScope, "the test scope stands alone: made-up and real data are never mixed")
        }
        guard scopes.isSubset(of: app.scopes) else {
            throw OAuthError(.invalidScope, "the app is not registered for all of these scopes")
        }
        return scopes
    }

    /// RFC 7636 §4.3: the method defaults to `plain`, which protects nothing and is not taken.
    private static func codeChallenge(_ parameters: Parameters) throws -> String? {
        guard let challenge = try parameters["code_challenge"] else { return nil }
        guard try parameters["code_challenge_method"] == "S256" else {
            throw OAuthError(.invalidRequest, "code_challenge_method is not S256")
        }
        guard challenge.utf8.count == 43, Data(base64URLEncoded: challenge)?.count == 32 else {
            throw OAuthError(.invalidRequest, "code_challenge is no SHA-256 in base64url")
        }
        return challenge
    }

    package var response: AuthorizationResponse {
        AuthorizationResponse(redirectURI: redirectURI, mode: responseMode, state: state)
    }
}
