import Storage

extension AuthorizationRequest {
    /// Validates a request for access to an organization's roster.
    /// - Parameter ignoredScopes: scopes of other services that the operator has chosen to ignore.
    /// - Throws: ``Refusal``
    package static func validate(
        _ parameters: RequestParameters, ignoredScopes: Set<String> = [], in transaction: some Transaction
    ) throws -> AuthorizationRequest {
        let (client, redirectURI, app) = try client(parameters, in: transaction)
        // From here on errors are sent to the app, in the response mode that it asked for if that is known.
        let state = try onPage { try parameters["state"] }
        let asked = try onPage { try parameters["response_mode"].map { ResponseMode(rawValue: $0) } ?? .query }
        let mode = asked == .webMessage ? nil : asked
        let response = AuthorizationResponse(redirectURI: redirectURI, mode: mode ?? .query, state: state)
        do {
            try parameters.requireNoRepeats()
            try checkLength(ofState: state)
            guard let mode else {
                throw OAuthError(.invalidRequest, "response_mode is none of query, fragment, form_post")
            }
            try refuseRequestObjects(parameters)
            guard let responseType = try parameters["response_type"] else {
                throw OAuthError(.invalidRequest, "response_type is missing")
            }
            guard responseType == "code" else {
                throw OAuthError(.unsupportedResponseType, "response_type is “\(responseType.prefix(64))”, not code")
            }
            return AuthorizationRequest(
                profile: .roster, clientID: client.clientID, redirectURI: redirectURI,
                scopes: try rosterScopes(parameters, of: app, ignoring: ignoredScopes), state: state,
                nonce: try nonce(parameters), responseMode: mode, codeChallenge: try codeChallenge(parameters, of: app))
        } catch let error as OAuthError {
            throw Refusal.redirect(error, response)
        }
    }

    private static func rosterScopes(
        _ parameters: RequestParameters, of app: App, ignoring ignored: Set<String>
    ) throws -> ScopeSet {
        guard let text = try parameters["scope"] else { throw OAuthError(.invalidScope, "scope is missing") }
        guard let scopes = ScopeSet(text: text, ignoring: ignored), scopes.isSubset(of: .roster) else {
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
}
