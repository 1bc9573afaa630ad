/// Everything in which the profiles differ, on the wire and in what they ask of people. Each profile is one value, so
/// that it can be read in one place. Code asks for one of these properties, and compares the profile itself only where
/// it means that very protocol.
package struct ProtocolManners: Equatable, Sendable {
    // MARK: Who decides

    /// Whether one person consents for the whole organization, on the consent page; otherwise each person for
    /// themselves.
    package let organizationConsents: Bool
    /// Whether a session that a registered device's key began is accepted.
    let devicesMaySignIn: Bool
    /// Whether the person sees a page at every sign-in.
    let alwaysShowsPage: Bool

    // MARK: Authorization requests and their answers

    /// The parameter that names the languages of the pages; nil if there is none.
    package let languageParameter: String?
    /// Whether a request is refused if it names no scope that the app is registered for.
    let needsScope: Bool
    /// Scopes that an app may get if it is registered for them.
    let registeredScopes: ScopeSet
    /// Scopes that every app may get.
    let commonScopes: ScopeSet
    /// Whether the answer has `iss` beside the code. RFC 9207.
    let answersNameIssuer: Bool
    /// Whether the answer to the first sign-in has the name and the email address beside the code.
    let answersCarryUser: Bool
    /// The error that an app gets when the person cancels.
    let cancelledError: String

    // MARK: Errors

    /// Whether errors have an `error_description`.
    package let describesErrors: Bool
    /// Whether refusals have status 401 where RFC 6749 §5.2 and RFC 6750 §3 ask for it; otherwise every refusal has
    /// 400.
    package let unknownClientsGet401: Bool
    /// The error for a redirect URI that differs from that of the authorization request.
    let wrongRedirectURI: OAuthError.Code

    // MARK: Token and revocation endpoints

    /// Another name for the parameter `code`, if there is one.
    package let otherCodeParameter: String?
    /// Whether a native app's server may leave out the redirect URI, since it may not know which one the program used.
    let nativeAppsMayOmitRedirectURI: Bool
    /// Whether `client_credentials` gives a token with which one team hands an app's people over to another.
    package let handsPeopleOver: Bool
    /// Whether devices without a browser can sign in. RFC 8628.
    package let hasDeviceGrant: Bool
    /// Whether a refresh token is good for one use (RFC 9700 §4.14.2), which can be repeated with the same idempotency
    /// key.
    package let rotatesRefreshTokens: Bool
    /// Whether only requests for `offline_access` get a refresh token. OpenID Connect Core §11.
    let refreshTokensNeedScope: Bool
    /// Whether token answers say which scopes were granted.
    package let answersTellScopes: Bool
    /// Whether an unknown `token_type_hint` is ignored (RFC 7009 §2.1); otherwise it is an error.
    package let ignoresUnknownTokenTypes: Bool
    /// Whether revoking a token ends the person's use of the app as a whole.
    let revocationEndsUse: Bool
    /// Whether a code belongs to the browser session in which it was issued, and clients are told when that ends.
    let followsSessions: Bool

    // MARK: Identity tokens

    /// Whether tokens have the issuer of the standard profile; otherwise they have the server's.
    let hasStandardIssuer: Bool
    /// Whether a client can choose another algorithm than RS256, and the key list has the keys of all algorithms.
    package let clientsChooseAlgorithm: Bool
    /// In seconds.
    let identityTokenLifetime: Int
    /// Whether every token has `nonce_supported` and `org_id`.
    let tokensNameOrganization: Bool
    /// Whether every token repeats what the person has shared before; otherwise it has only what its request asked for.
    package let repeatsWhatWasShared: Bool
    /// Whether the operator can have booleans written as text.
    let flagsMayBeText: Bool
    /// Whether tokens have `real_user_status`.
    let tellsRealUserStatus: Bool
    /// Whether tokens say what the app can read of the organization's roster.
    let tellsRosterScopes: Bool
    /// Whether tokens have the user name of a managed account that shares its name.
    package let tellsUserNames: Bool
}

extension Profile {
    package var manners: ProtocolManners {
        switch self {
        case .roster: .roster
        case .compatible: .compatible
        case .standard: .standard
        }
    }
}

extension ProtocolManners {
    /// An organization shares its roster.
    static let roster = ProtocolManners(
        organizationConsents: true,
        // An app could then read about everybody else in the organization, and its access would outlive the device.
        devicesMaySignIn: false,
        alwaysShowsPage: false,
        languageParameter: nil,
        needsScope: true,
        registeredScopes: .roster,
        commonScopes: ScopeSet([]),
        answersNameIssuer: false,
        answersCarryUser: false,
        cancelledError: "access_denied",
        // Roster apps get the error code only.
        describesErrors: false,
        unknownClientsGet401: false,
        // Unusual, but it is what the service that we are compatible with answers.
        wrongRedirectURI: .invalidClient,
        // One description of roster access uses this name.
        otherCodeParameter: "grant_code",
        nativeAppsMayOmitRedirectURI: false,
        handsPeopleOver: false,
        hasDeviceGrant: false,
        rotatesRefreshTokens: false,
        refreshTokensNeedScope: false,
        answersTellScopes: false,
        ignoresUnknownTokenTypes: false,
        revocationEndsUse: false,
        followsSessions: false,
        hasStandardIssuer: false,
        clientsChooseAlgorithm: false,
        identityTokenLifetime: 3_600,
        tokensNameOrganization: true,
        repeatsWhatWasShared: false,
        flagsMayBeText: false,
        tellsRealUserStatus: false,
        tellsRosterScopes: false,
        tellsUserNames: false)

    /// A person signs in, in the protocol of the service that we are compatible with.
    static let compatible = ProtocolManners(
        organizationConsents: false,
        devicesMaySignIn: true,
        alwaysShowsPage: true,
        languageParameter: "locale",
        needsScope: false,
        registeredScopes: .compatible,
        commonScopes: ScopeSet([]),
        answersNameIssuer: false,
        answersCarryUser: true,
        cancelledError: "user_cancelled_authorize",
        describesErrors: true,
        unknownClientsGet401: false,
        wrongRedirectURI: .invalidGrant,
        otherCodeParameter: nil,
        nativeAppsMayOmitRedirectURI: true,
        handsPeopleOver: true,
        hasDeviceGrant: false,
        rotatesRefreshTokens: false,
        refreshTokensNeedScope: false,
        answersTellScopes: false,
        ignoresUnknownTokenTypes: false,
        revocationEndsUse: true,
        followsSessions: false,
        hasStandardIssuer: false,
        clientsChooseAlgorithm: false,
        identityTokenLifetime: 86_400,
        tokensNameOrganization: true,
        repeatsWhatWasShared: true,
        flagsMayBeText: true,
        tellsRealUserStatus: true,
        tellsRosterScopes: true,
        tellsUserNames: false)

    /// A person signs in, in standard OpenID Connect.
    static let standard = ProtocolManners(
        organizationConsents: false,
        devicesMaySignIn: true,
        alwaysShowsPage: false,
        languageParameter: "ui_locales",
        needsScope: false,
        registeredScopes: .aboutPerson,
        commonScopes: .always,
        answersNameIssuer: true,
        answersCarryUser: false,
        cancelledError: "access_denied",
        describesErrors: true,
        unknownClientsGet401: true,
        wrongRedirectURI: .invalidGrant,
        otherCodeParameter: nil,
        nativeAppsMayOmitRedirectURI: false,
        handsPeopleOver: false,
        hasDeviceGrant: true,
        rotatesRefreshTokens: true,
        refreshTokensNeedScope: true,
        answersTellScopes: true,
        ignoresUnknownTokenTypes: true,
        revocationEndsUse: false,
        followsSessions: true,
        hasStandardIssuer: true,
        clientsChooseAlgorithm: true,
        identityTokenLifetime: 3_600,
        tokensNameOrganization: false,
        repeatsWhatWasShared: false,
        flagsMayBeText: false,
        tellsRealUserStatus: false,
        tellsRosterScopes: false,
        tellsUserNames: true)
}

extension ProtocolManners {
    func givesRefreshToken(for scopes: ScopeSet) -> Bool { !refreshTokensNeedScope || scopes.contains(.offlineAccess) }
}
