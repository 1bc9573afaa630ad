import Directory
import Foundation
import Ground
import Synchronization

/// Limits the requests of each app for each organization's roster: enough for a full crawl, not enough to overload the
/// server.
final class RosterRateLimiter: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let organization: OrganizationID
    }

    private let now: @Sendable () -> Date
    /// There is one bucket for each consent in use; the maximum only bounds the memory.
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
