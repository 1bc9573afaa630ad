import Directory
import Foundation
import Ground
import Storage

/// A valid authorization request: it names a client, one of its return URLs, and scopes that the client may ask for.
/// RFC 6749 §4.1.1, RFC 7636, OpenID Connect Core §3.1.2.1.
package struct AuthorizationRequest: Equatable, Sendable {
    package enum ResponseMode: String, Sendable, SQLConvertible {
        case query
        case fragment
        case formPost = "form_post"
        /// A message to the window that opened the popup.
        case webMessage = "web_message"
    }

    package enum Prompt: String, Sendable, CaseIterable {
        /// Show no page at all.
        case none
        /// Requires a sign-in on the way to this very request.
        case login
        case consent
        case selectAccount = "select_account"
    }

    package var profile: Profile
    package var clientID: String
    /// Empty for a device, which has no return URL.
    package var redirectURI: String
    package var scopes: ScopeSet
    package var state: String?
    package var nonce: String?
    package var responseMode: ResponseMode
    /// Whether `response_type` is `code id_token`.
    package var returnsIdentityToken = false
    /// The challenge for the method S256.
    package var codeChallenge: String?
    package var prompts: Set<Prompt> = []
    /// Sessions that began before this time are not accepted.
    package var authenticatedSince: Date?
    package var loginHint: String?
    /// The only person who may answer, because the app has sent an identity token of theirs.
    package var person: PersonID?
    /// The `sub` of that person, until it is looked up.
    var subject: String?
    /// Single claims in addition to those of the scopes.
    package var claims = RequestedClaims.none
    /// Whether sessions that a device began are refused (`acr`).
    package var needsPassword = false
    /// Whether only such sessions are accepted. No page can begin one.
    package var needsDevice = false
    /// The device that waits for the answer, if it is the request of one.
    package var deviceHash: SecretHash?
    /// `iss` of the answer. RFC 9207.
    package var issuer: String?

    /// Why a request was refused. Errors may be sent to the app only if its return URL is known to be its own.
    package enum Refusal: Error, Sendable {
        /// Shown to the person in the browser, without a redirect.
        case page(OAuthError)
        case redirect(OAuthError, AuthorizationResponse)
    }

    /// What the person is asked to share, by scopes and by single claims.
    package var askedScopes: ScopeSet { scopes.union(claims.scopes) }

    static let stateBytesMax = 4_096
    static let nonceBytesMax = 2_048

    package var response: AuthorizationResponse {
        AuthorizationResponse(redirectURI: redirectURI, mode: responseMode, state: state, issuer: issuer)
    }
}

// MARK: What all profiles check

extension AuthorizationRequest {
    /// Finds the client, and one of its own return URLs. Before that, nothing may be redirected.
    static func client(
        _ parameters: RequestParameters, in transaction: some Transaction
    ) throws -> (client: Client, redirectURI: String, app: App) {
        try onPage {
            guard let clientID = try parameters["client_id"] else {
                throw OAuthError(.invalidRequest, "client_id is missing" + hint(parameters, "clientid", "clientId"))
            }
            guard let redirectURI = try parameters["redirect_uri"] else {
                throw OAuthError(
                    .invalidRequest, "redirect_uri is missing" + hint(parameters, "redirecturi", "redirectUri"))
            }
            guard let (client, app) = try Client.findWithApp(clientID, in: transaction) else {
                throw OAuthError(.invalidClient, "there is no client with the client_id “\(clientID.prefix(255))”")
            }
            guard try app.hasReturnURL(redirectURI, in: transaction) else {
                throw OAuthError(
                    .unauthorizedClient, "“\(redirectURI.prefix(2_048))” is not a return URL of the client")
            }
            return (client, redirectURI, app)
        }
    }

    static func onPage<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as OAuthError {
            throw Refusal.page(error)
        }
    }

    private static func hint(_ parameters: RequestParameters, _ misspellings: String...) -> String {
        misspellings.first(where: parameters.names.contains).map { " (there is a “\($0)”)" } ?? ""
    }

    static func checkLength(ofState state: String?) throws {
        guard (state?.utf8.count ?? 0) <= stateBytesMax else {
            throw OAuthError.telling(.invalidRequest, "state is longer than \(stateBytesMax) bytes")
        }
    }

    static func nonce(_ parameters: RequestParameters) throws -> String? {
        let nonce = try parameters["nonce"]
        guard (nonce?.utf8.count ?? 0) <= nonceBytesMax else {
            throw OAuthError.telling(.invalidRequest, "nonce is longer than \(nonceBytesMax) bytes")
        }
        return nonce
    }

    /// Refuses requests whose parameters are in a signed object (OpenID Connect Core §6), because we do not read those.
    /// Ignoring the object would answer another request than the app has made.
    static func refuseRequestObjects(_ parameters: RequestParameters) throws {
        if try parameters["request"] != nil {
            throw OAuthError.telling(.requestNotSupported, "the request parameter is not supported")
        }
        if try parameters["request_uri"] != nil {
            throw OAuthError.telling(.requestURINotSupported, "the request_uri parameter is not supported")
        }
    }

    /// The code challenge. The method defaults to `plain` (RFC 7636 §4.3), which protects nothing and is refused. A
    /// challenge without a value, or a method without a challenge, is a mistake of the app. Ignoring it would leave the
    /// code without the protection that the app expects.
    static func codeChallenge(_ parameters: RequestParameters, of app: App) throws -> String? {
        let challenge = try parameters["code_challenge"]
        guard let challenge else {
            if let name = ["code_challenge", "code_challenge_method"].first(where: parameters.names.contains) {
                throw OAuthError.telling(.invalidRequest, "there is a \(name), but code_challenge has no value")
            }
            try app.check(nil)
            return nil
        }
        guard try parameters["code_challenge_method"] == "S256" else {
            throw OAuthError.telling(.invalidRequest, "code_challenge_method is not S256")
        }
        guard challenge.utf8.count == 43, Data(base64URLEncoded: challenge)?.count == 32 else {
            throw OAuthError.telling(.invalidRequest, "code_challenge is no SHA-256 in base64url")
        }
        return challenge
    }
}
