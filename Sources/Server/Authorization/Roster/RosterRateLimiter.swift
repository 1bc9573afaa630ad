import Directory
import Foundation
import Ground
import Synchronization

/// Limits the requests of each app on each organization: enough for a full crawl, not enough to wear the server out.
final class RosterRateLimiter: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let organization: OrganizationID
    }

    private let now: @Sendable () -> Date
    /// There are as many as consents in use; the bound only keeps memory in check.
    private let buckets: Mutex<TokenBuckets<Key>>

    init(_ rate: TokenBucket.Rate, now: @escaping @Sendable () -> Date) {
        self.now = now
        buckets = Mutex(TokenBuckets(rate, max: 100_000))
    }

    /// - Throws: ``RosterRefusal/rateLimited(seconds:)``
    func admit(_ access: RosterAccess) throws {
        let now = now()
        let key = Key(app: access.app.id, organization: access.organization.id)
        guard let wait = buckets.withLock({ $0.take(key, at: now) }) else { return }
        throw RosterRefusal.rateLimited(seconds: max(1, Int(wait.rounded(.up))))
    }
}
