/// All in which the profiles differ on the wire and in what they ask of people: one value each, so that a profile can
/// be read in one place. Code asks for a manner, and for the profile itself only where it means that very protocol.
package struct ProtocolManners: Equatable, Sendable {
    // MARK: Who decides

    /// Somebody allows for their organization, on the consent page; else each person for themselves.
    package let organizationConsents: Bool
    /// Whether a session that a device's key began is good enough.
    let devicesMaySignIn: Bool
    /// The person sees a page at every sign-in.
    let alwaysShowsPage: Bool

    // MARK: Authorization requests and their answers

    /// The parameter that names the languages of the pages; nil: there is none.
    package let languageParameter: String?
    /// A request for nothing that the app is registered for is refused.
    let needsScope: Bool
    /// What an app may get if it is registered for it.
    let registeredScopes: ScopeSet
    /// What every app may get.
    let commonScopes: ScopeSet
    /// `iss` stands beside the code. RFC 9207.
    let answersNameIssuer: Bool
    /// At the first sign-in name and e-mail address travel beside the code.
    let answersCarryUser: Bool
    /// Of a person who does not want to sign in.
    let cancelledError: String

    // MARK: Errors

    /// `error_description` beside the one word.
    package let describesErrors: Bool
    /// 401 where RFC 6749 §5.2 and RFC 6750 §3 ask for it; else each refusal is 400.
    package let unknownClientsGet401: Bool
    /// A code that is redeemed with another redirect URI than it was asked for with.
    let wrongRedirectURI: OAuthError.Code

    // MARK: Token and revocation endpoints

    /// Another name of the parameter `code`.
    package let otherCodeParameter: String?
    /// The server of a native app need not know the address that the program had.
    let nativeAppsMayOmitRedirectURI: Bool
    /// `client_credentials` give a token with which one team hands an app's people over to another.
    package let handsPeopleOver: Bool
    /// RFC 8628.
    package let hasDeviceGrant: Bool
    /// A refresh token is good for one use (RFC 9700 §4.14.2), which may be repeated by its idempotency key.
    package let rotatesRefreshTokens: Bool
    /// A refresh token is only for who asked for `offline_access`. OpenID Connect Core §11.
    let refreshTokensNeedScope: Bool
    /// The answer says which scopes were granted.
    package let answersTellScopes: Bool
    /// RFC 7009 §2.1; else an unknown `token_type_hint` is an error.
    package let ignoresUnknownTokenTypes: Bool
    /// To revoke a token ends the person's use of the app as a whole.
    let revocationEndsUse: Bool
    /// A code belongs to the browser session in which it was given, and clients hear of its end.
    let followsSessions: Bool

    // MARK: Identity tokens

    /// The issuer of the standard profile; else that of the server.
    let hasStandardIssuer: Bool
    /// A client may have asked for another algorithm than RS256, and finds all keys.
    package let clientsChooseAlgorithm: Bool
    /// Seconds.
    let identityTokenLifetime: Int
    /// `nonce_supported` and `org_id` stand in every token.
    let tokensNameOrganization: Bool
    /// What was shared once stands in every later token, whatever that request asked for; else what it asks for.
    package let repeatsWhatWasShared: Bool
    /// The operator may have truths written as text.
    let flagsMayBeText: Bool
    /// `real_user_status`.
    let tellsRealUserStatus: Bool
    /// What the app can read of the organization's roster.
    let tellsRosterScopes: Bool
    /// Of managed accounts that share their name.
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
        // It would let an app read about everybody else of the organization, and outlive the device.
        devicesMaySignIn: false,
        alwaysShowsPage: false,
        languageParameter: nil,
        needsScope: true,
        registeredScopes: .roster,
        commonScopes: ScopeSet([]),
        answersNameIssuer: false,
        answersCarryUser: false,
        cancelledError: "access_denied",
        // Roster apps get one word.
        describesErrors: false,
        unknownClientsGet401: false,
        // Unusual, but what the service that we are compatible with says there.
        wrongRedirectURI: .invalidClient,
        // One description of roster access calls it so.
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

    /// A person signs in, as with the service that we are compatible with.
    static let compatible = ProtocolManners(
        organizationConsents: false,
        devicesMaySignIn: true,
        alwaysShowsPage: true,
        languageParameter: "locale",
        needsScope: false,
        registeredScopes: .aboutPerson,
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

    /// OpenID Connect as everybody else speaks it.
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
