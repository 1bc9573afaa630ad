import Foundation
import Storage

extension AuthorizationRequest {
    /// Validates a request of standard OpenID Connect. OpenID Connect Core §3.1.2, RFC 9700, RFC 9207.
    /// - Parameter issuer: the issuer of the standard profile.
    /// - Throws: ``Refusal``
    package static func standard(
        _ parameters: RequestParameters, issuer: String, at now: Date, in transaction: some Transaction
    ) throws -> AuthorizationRequest {
        let (client, redirectURI, app) = try client(parameters, in: transaction)
        let state = try onPage { try parameters["state"] }
        let asked = try onPage { try parameters["response_mode"].map { ResponseMode(rawValue: $0) } ?? .query }
        // Browsers cannot post a form to a private-use scheme.
        let isImpossible = asked == .webMessage || asked == .formPost && ReturnURL.isPrivate(redirectURI)
        let mode = isImpossible ? nil : asked
        let response = AuthorizationResponse(
            redirectURI: redirectURI, mode: mode ?? .query, state: state, issuer: issuer)
        do {
            try parameters.requireNoRepeats()
            try checkLength(ofState: state)
            guard let mode else {
                throw OAuthError.telling(
                    .invalidRequest, "response_mode is none that this redirect_uri can take: query, fragment, form_post"
                )
            }
            try refuseRequestObjects(parameters)
            if try parameters["registration"] != nil {
                throw OAuthError.telling(.registrationNotSupported, "the registration parameter is not supported")
            }
            guard let responseType = try parameters["response_type"] else {
                throw OAuthError.telling(.invalidRequest, "response_type is missing")
            }
            guard responseType == "code" else {
                throw OAuthError.telling(.unsupportedResponseType, "response_type is not code")
            }
            let challenge = try codeChallenge(parameters, of: app)
            // RFC 9700 §2.1.1: a public client has to prove by PKCE that a code is its own.
            guard challenge != nil || !client.isPublic else {
                throw OAuthError.telling(.invalidRequest, "a public client needs a code_challenge (S256)")
            }
            let maxAge = try maxAge(parameters)
            var prompts = try prompts(parameters)
            // RFC 8252 §8.6: every program on the device can use the client id, and listen at an address of its own.
            guard !(prompts.contains(.none) && client.isPublic && ReturnURL.isNative(redirectURI)) else {
                throw OAuthError.telling(
                    .interactionRequired, "a native program's sign-in is always shown to the person")
            }
            // With clocks of whole seconds, a session of age zero may have begun before the request, so this means a
            // new sign-in.
            if maxAge == 0 { prompts.insert(.login) }
            var request = AuthorizationRequest(
                profile: .standard, clientID: client.clientID, redirectURI: redirectURI,
                scopes: try standardScopes(try parameters["scope"], of: app), state: state,
                nonce: try nonce(parameters),
                responseMode: mode, codeChallenge: challenge, prompts: prompts,
                authenticatedSince: maxAge.map { now.addingTimeInterval(-Double($0)) },
                loginHint: try parameters["login_hint"].map { String($0.prefix(255)) }, issuer: issuer)
            try request.readWishes(parameters, of: app)
            return request
        } catch let error as OAuthError {
            throw Refusal.redirect(error, response)
        }
    }

    /// Unknown scopes are ignored (OpenID Connect Core §3.1.2.1). Known scopes that the app is not registered for are
    /// left out, and the answer says which were granted.
    static func standardScopes(_ text: String?, of app: App) throws -> ScopeSet {
        let words = (text ?? "").split(separator: " ").map { $0 == "profile" ? Scope.name.rawValue : String($0) }
        let asked = ScopeSet(words.compactMap(Scope.init(rawValue:)))
        guard asked.contains(.openID) else {
            throw OAuthError.telling(.invalidScope, "scope does not contain openid")
        }
        return asked.intersection(app.scopes(in: .standard))
    }

    private static func prompts(_ parameters: RequestParameters) throws -> Set<Prompt> {
        let words = try parameters["prompt"]?.split(separator: " ").map(String.init) ?? []
        let prompts = Set(words.compactMap(Prompt.init(rawValue:)))
        guard !prompts.contains(.none) || words.count == 1 else {
            throw OAuthError.telling(.invalidRequest, "prompt none stands alone")
        }
        return prompts
    }

    /// `max_age`, in seconds.
    private static func maxAge(_ parameters: RequestParameters) throws -> Int? {
        guard let text = try parameters["max_age"] else { return nil }
        guard let seconds = Int(text), seconds >= 0 else {
            throw OAuthError.telling(.invalidRequest, "max_age is no number of seconds")
        }
        return min(seconds, 1_000_000_000)
    }
}
