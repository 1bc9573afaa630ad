import Foundation
import LanyardAPI

/// The result of an exchange or a refresh.
public struct Tokens: Equatable, Sendable {
    public var accessToken: AccessToken
    /// Nil after a refresh, because the one that was used stays valid. Only `OpenIDClient` gets a new one.
    public var refreshToken: String?
    /// Not yet verified; the client that asked for the tokens has a method for it.
    public var identityToken: String?

    public init(accessToken: AccessToken, refreshToken: String? = nil, identityToken: String? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.identityToken = identityToken
    }
}

/// An access token and its expiry.
public struct AccessToken: Equatable, Sendable {
    /// The token. Opaque.
    public var value: String
    /// By the app's own clock.
    public var expiresAt: Date

    public init(value: String, expiresAt: Date) {
        self.value = value
        self.expiresAt = expiresAt
    }
}

/// For `LanyardClient.revoke(_:hint:)`.
public enum TokenTypeHint: String, Sendable {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
}

extension Tokens {
    /// - Parameter requestedAt: when the request was sent. The life of the token is counted from then, so that it is
    ///   never overestimated.
    init(_ response: TokenResponse, requestedAt: Date) {
        let lifetime = TimeInterval(response.expiresIn ?? 3_600)
        accessToken = AccessToken(value: response.accessToken, expiresAt: requestedAt.addingTimeInterval(lifetime))
        refreshToken = response.refreshToken
        identityToken = response.idToken
    }
}

extension Tokens: CustomReflectable {
    /// Without what is secret, so that it does not get into a log.
    public var customMirror: Mirror { Mirror(self, children: ["accessToken": accessToken], displayStyle: .struct) }
}

extension AccessToken: CustomReflectable {
    /// Without what is secret, so that it does not get into a log.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt], displayStyle: .struct) }
}
