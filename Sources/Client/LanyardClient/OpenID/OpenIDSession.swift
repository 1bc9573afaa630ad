import Foundation
import Ground
import LanyardAPI

/// The tokens of one person who has signed in by an `OpenIDClient`.
///
/// The provider issues a new refresh token with each access token, and treats the use of an old one as theft. So keep
/// one session for each sign-in and share it: however many callers need a new access token at the same time, it is
/// requested once, and the new refresh token is stored before any caller gets the access token.
public actor OpenIDSession {
    /// The latest refresh token, as passed to `keep`.
    public private(set) var refreshToken: KeptRefreshToken
    private let client: OpenIDClient
    private let keep: @Sendable (KeptRefreshToken) async throws -> Void
    private var latest: AccessToken?
    private let refreshing = SingleFlight<AccessToken>()

    /// An access token is replaced this long before it expires, so that it outlives the request that carries it.
    private static let margin: TimeInterval = 60

    /// - Parameters:
    ///   - refreshToken: the stored token, so that an exchange whose answer was lost can be repeated without looking
    ///     like theft.
    ///   - accessToken: One that is still valid, if there is one.
    ///   - keep: stores the refresh token that replaces the previous one.
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

    /// An access token that is valid for at least another minute, unless the provider revokes it.
    /// - Throws: also what `keep` throws. The next call then requests another pair and stores that.
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
