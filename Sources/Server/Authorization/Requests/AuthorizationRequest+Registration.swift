import Storage

/// What the operator has registered may change while a request waits for its person, and while a code is on its way. It
/// is asked again whenever something is about to be sent or given.
extension AuthorizationRequest {
    /// The request without the scopes that were taken away from the app meanwhile.
    /// - Throws: ``OAuthError``, for the page and never for a redirection: `invalid_client` if the app is gone,
    ///   `unauthorized_client` if the return URL is not its own any more, `invalid_scope` if nothing is left to ask for.
    func asRegistered(in transaction: some Transaction) throws -> AuthorizationRequest {
        guard let app = try App.find(clientID: clientID, in: transaction) else {
            throw OAuthError(.invalidClient, "the client has been removed")
        }
        var request = self
        request.scopes = scopes.intersection(app.scopes(in: profile))
        request.claims = claims.limited(to: app.scopes(in: profile))
        guard !profile.manners.needsScope || !request.scopes.isEmpty else {
            throw OAuthError(.invalidScope, "the app is not registered for these scopes any more")
        }
        // A device has no return URL, and its code is its own.
        guard deviceHash == nil else { return request }
        guard try app.hasReturnURL(redirectURI, in: transaction) else {
            throw OAuthError(
                .unauthorizedClient, "“\(redirectURI.prefix(2_048))” is not a return URL of the client any more")
        }
        return request
    }
}

extension App {
    /// All that it can get in a profile.
    func scopes(in profile: Profile) -> ScopeSet {
        let manners = profile.manners
        return scopes.intersection(manners.registeredScopes).union(manners.commonScopes)
    }

    /// - Parameter codeChallenge: of a request.
    /// - Throws: ``OAuthError`` `invalid_request` if the app has to send one and has not.
    func check(_ codeChallenge: String?) throws {
        guard codeChallenge != nil || !requiresProofKey else {
            throw OAuthError.telling(.invalidRequest, "the app has to send a code_challenge (S256)")
        }
    }
}
