import Foundation
import Ground
import HTTPTypes
import Hummingbird
import Synchronization

/// Limits the requests of each access token of the administration API.
final class APIRateLimiter: Sendable {
    /// Too many requests have arrived. After this many seconds, another one is accepted.
    struct Exceeded: Error { let seconds: Int }

    /// How many requests are left to a token, for the headers of an answer. draft-ietf-httpapi-ratelimit-headers.
    struct Allowance: Sendable {
        fileprivate let policy: String
        fileprivate let remaining: String

        func note(on response: inout Response) {
            response.headers[.rateLimitPolicy] = policy
            response.headers[.rateLimit] = remaining
        }
    }

    private let rate: TokenBucket.Rate
    private let now: @Sendable () -> Date
    /// A bucket for each token. Their number is limited only to bound the memory.
    private let buckets: Mutex<TokenBuckets<SecretHash>>

    init(_ rate: TokenBucket.Rate, now: @escaping @Sendable () -> Date) {
        self.rate = rate
        self.now = now
        buckets = Mutex(TokenBuckets(rate, max: 100_000))
    }

    /// - Throws: ``Exceeded``
    func admit(_ token: SecretHash) throws -> Allowance {
        let now = now()
        let (wait, remaining) = buckets.withLock { ($0.take(token, at: now), $0.remaining(of: token, at: now)) }
        if let wait { throw Exceeded(seconds: max(1, Int(wait.rounded(.up)))) }
        // The number of seconds in which an empty bucket becomes full again.
        let window = Int((rate.burst / rate.perSecond).rounded(.up))
        let rest = Int(((rate.burst - Double(remaining)) / rate.perSecond).rounded(.up))
        return Allowance(
            policy: "\"token\";q=\(Int(rate.burst));w=\(window)", remaining: "\"token\";r=\(remaining);t=\(rest)")
    }
}

extension HTTPField.Name {
    fileprivate static let rateLimitPolicy = Self("RateLimit-Policy")!
    fileprivate static let rateLimit = Self("RateLimit")!
}
