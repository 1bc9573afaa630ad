import Directory
import Foundation
import Ground
import Storage

/// The token and revocation endpoints of all profiles: redeems codes, refreshes and revokes tokens. RFC 6749 §4.1.3 and
/// §6, RFC 7009, RFC 8628 §3.4.
package struct TokenService: Sendable {
    let database: any Database
    let authenticator: ClientAuthenticator
    let keys: ServerKeys
    let teamIdentifiers: TeamIdentifiers
    let issuers: Issuers
    let flagsAsText: Bool
    let refreshTokens: RefreshTokenLifetime
    let surroundings: Surroundings
    let sealer: AccessTokenSealer

    /// `iss` of the tokens of each profile.
    package struct Issuers: Sendable {
        let compatible: String
        let standard: String

        package init(compatible: String, standard: String) {
            self.compatible = compatible
            self.standard = standard
        }

        func of(_ profile: Profile) -> String { profile.manners.hasStandardIssuer ? standard : compatible }
    }

    /// - Parameter flagsAsText: writes booleans in identity tokens as "true" and "false", as was usual until 2024.
    package init(
        database: any Database, authenticator: ClientAuthenticator, keys: ServerKeys, teamIdentifiers: TeamIdentifiers,
        issuers: Issuers, flagsAsText: Bool = false, refreshTokens: RefreshTokenLifetime = RefreshTokenLifetime(),
        surroundings: Surroundings
    ) {
        self.database = database
        self.authenticator = authenticator
        self.keys = keys
        self.teamIdentifiers = teamIdentifiers
        self.issuers = issuers
        self.flagsAsText = flagsAsText
        self.refreshTokens = refreshTokens
        self.surroundings = surroundings
        sealer = AccessTokenSealer(keys.accessTokens)
    }

    package struct Answer: Sendable {
        package let accessToken: String
        /// In seconds.
        package let expiresIn: Int
        /// Nil if there is no new one.
        package let refreshToken: String?
        package let identityToken: String
        package let scopes: ScopeSet
    }

    // The descriptions that clients of the compatible profile know. docs/specifications/sign-in.md, 5.4.
    static let spentCode = "The code has already been used."
    static let expiredCode = "The code has expired or has been revoked."
    static let expiredRefreshToken = "The refresh token has expired or has been revoked."
}
