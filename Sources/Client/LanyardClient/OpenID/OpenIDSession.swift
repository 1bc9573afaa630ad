import Foundation
import Ground
import LanyardAPI

/// The tokens of one person who has signed in by an `OpenIDClient`.
///
/// The provider gives another refresh token with each access token, and takes the use of an old one for theft. So keep one
/// session for each sign-in and share it: however many callers need a new access token at the same time, it is asked for
/// once, and the refresh token that comes with it is kept before anybody gets the access token.
public actor OpenIDSession {
    public private(set) var refreshToken: KeptRefreshToken
    private let client: OpenIDClient
    private let keep: @Sendable (KeptRefreshToken) async throws -> Void
    private var latest: AccessToken?
    private let refreshing = SingleFlight<AccessToken>()

    /// An access token is replaced this long before it expires, so that it outlives the request that carries it.
    private static let margin: TimeInterval = 60

    /// - Parameters:
    ///   - refreshToken: As it has been kept, so that an exchange whose answer was lost is made again and not taken for theft.
    ///   - accessToken: One that is still valid, if there is one.
    ///   - keep: Stores the refresh token that takes the place of the one before.
    public init(
        client: OpenIDClient,
        refreshToken: KeptRefreshToken,
        accessToken: AccessToken? = nil,
        keep: @escaping @Sendable (_ refreshToken: KeptRefreshToken) async throws -> Void
    ) {
        self.client = client
        self.refreshToken = refreshToken
        self.latest = accessToken
        self.keep = keep
    }

    /// An access token that is valid for another minute at least, unless the provider revokes it.
    /// - Throws: what `keep` throws, too; the next call then asks for another pair and keeps that.
    public func accessToken() async throws -> AccessToken {
        if let latest, client.now().addingTimeInterval(Self.margin) < latest.expiresAt {
            return latest
        }
        // A caller's cancellation does not lose the token that came.
        return try await refreshing.run { try await self.refresh() }
    }

    private func refresh() async throws -> AccessToken {
        let tokens = try await client.refresh(refreshToken)
        if let replacement = tokens.refreshToken, replacement != refreshToken.token {
            refreshToken = KeptRefreshToken(replacement)
            try await keep(refreshToken)
        }
        latest = tokens.accessToken
        return tokens.accessToken
    }
}
