import Storage

/// The operator may change an app's registration while a request waits for its person, or while a code is on its way.
/// So it is checked again before anything is sent or issued.
extension AuthorizationRequest {
    /// The request without scopes that were taken from the app in the meantime.
    /// - Throws: ``OAuthError`` for the page, never for a redirect: `invalid_client` if the app has been removed,
    ///   `unauthorized_client` if the return URL is no longer the app's, `invalid_scope` if no scope is left.
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
        // The request of a device has no return URL, and needs no code challenge.
        guard deviceHash == nil else { return request }
        guard try app.hasReturnURL(redirectURI, in: transaction) else {
            throw OAuthError(
                .unauthorizedClient, "“\(redirectURI.prefix(2_048))” is not a return URL of the client any more")
        }
        return request
    }
}

extension App {
    /// All scopes that the app can get in a profile.
    func scopes(in profile: Profile) -> ScopeSet {
        let manners = profile.manners
        return scopes.intersection(manners.registeredScopes).union(manners.commonScopes)
    }

    /// - Parameter codeChallenge: that of the request; nil if it has none.
    /// - Throws: ``OAuthError`` `invalid_request` if the app has to send one and did not.
    func check(_ codeChallenge: String?) throws {
        guard codeChallenge != nil || !requiresProofKey else {
            throw OAuthError.telling(.invalidRequest, "the app has to send a code_challenge (S256)")
        }
    }
}
