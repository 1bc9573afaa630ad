import Authorization
import Directory
import Foundation
import Synchronization

/// A token bucket for each app and organization: enough for a full crawl, not enough to wear the server out.
final class RateLimiter: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let organization: OrganizationID
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: Date
    }

    private let limit: ServerConfiguration.RateLimit
    private let now: @Sendable () -> Date
    /// As many buckets as there are consents in use: no more than the database has.
    private let buckets = Mutex<[Key: Bucket]>([:])

    init(_ limit: ServerConfiguration.RateLimit, now: @escaping @Sendable () -> Date) {
        self.limit = limit
        self.now = now
    }

    /// - Throws: ``RosterError/rateLimited(seconds:)``
    func admit(_ access: RosterAccess) throws {
        let now = now()
        let wait = buckets.withLock { buckets -> Double? in
            let key = Key(app: access.app.id, organization: access.organization.id)
            var bucket = buckets[key] ?? Bucket(tokens: limit.burst, filledAt: now)
            let elapsed = max(0, now.timeIntervalSince(bucket.filledAt))
            bucket.tokens = min(limit.burst, bucket.tokens + elapsed * limit.requestsPerSecond)
            bucket.filledAt = now
            defer { buckets[key] = bucket }
            guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / limit.requestsPerSecond }
            bucket.tokens -= 1
            return nil
        }
        if let wait { throw RosterError.rateLimited(seconds: max(1, Int(wait.rounded(.up)))) }
    }
}
