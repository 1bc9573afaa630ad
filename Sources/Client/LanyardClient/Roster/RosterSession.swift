import Foundation
import Ground

/// The tokens of one organization. Keep one session for each and share it: however many callers need a new access token
/// at the same time, it is requested once.
public actor RosterSession {
    /// The organization's refresh token, which does not change. Store it in your database.
    public nonisolated let refreshToken: String
    private let client: LanyardClient
    private var latest: AccessToken?
    private let refreshing = SingleFlight<AccessToken>()

    /// An access token is replaced this long before it expires, so that it outlives the request that carries it.
    private static let margin: TimeInterval = 60

    /// - Parameter accessToken: one that is still valid, if there is one. Otherwise the first read requests one.
    public init(client: LanyardClient, refreshToken: String, accessToken: AccessToken? = nil) {
        self.client = client
        self.refreshToken = refreshToken
        self.latest = accessToken
    }

    /// An access token that is valid for at least another minute, unless the service revokes it.
    public func accessToken() async throws -> AccessToken {
        if let latest, client.now().addingTimeInterval(Self.margin) < latest.expiresAt {
            return latest
        }
        return try await refreshing.run { try await self.refresh() }
    }

    /// A new token to replace one that the service has refused.
    func accessToken(replacing refused: AccessToken) async throws -> AccessToken {
        if let latest, latest != refused {
            return latest  // another caller has replaced it already
        }
        return try await refreshing.run { try await self.refresh() }
    }

    private func refresh() async throws -> AccessToken {
        let token = try await client.refresh(refreshToken).accessToken
        latest = token
        return token
    }
}
