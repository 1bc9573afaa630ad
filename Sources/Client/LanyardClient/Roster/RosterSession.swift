import Foundation
import Ground

/// The tokens of one organization. Keep one for each, and share it: however many callers need a new access token at the
/// same time, it is asked for once.
public actor RosterSession {
    public nonisolated let refreshToken: String
    private let client: LanyardClient
    private var latest: AccessToken?
    private let refreshing = SingleFlight<AccessToken>()

    /// An access token is replaced this long before it expires, so that it outlives the request that carries it.
    private static let margin: TimeInterval = 60

    /// - Parameter accessToken: One that is still valid, if there is one; without, the first read gets one.
    public init(client: LanyardClient, refreshToken: String, accessToken: AccessToken? = nil) {
        self.client = client
        self.refreshToken = refreshToken
        self.latest = accessToken
    }

    /// An access token that is valid for another minute at least, unless the service revokes it.
    public func accessToken() async throws -> AccessToken {
        if let latest, client.now().addingTimeInterval(Self.margin) < latest.expiresAt {
            return latest
        }
        return try await refreshing.run { try await self.refresh() }
    }

    /// Another token in place of one that the service has refused.
    func accessToken(replacing refused: AccessToken) async throws -> AccessToken {
        if let latest, latest != refused {
            return latest  // another caller was told the same, and was faster
        }
        return try await refreshing.run { try await self.refresh() }
    }

    private func refresh() async throws -> AccessToken {
        let token = try await client.refresh(refreshToken).accessToken
        latest = token
        return token
    }
}
