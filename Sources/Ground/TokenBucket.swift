#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Limits how often something may happen. A full bucket has `burst` tokens; each event takes one, and `perSecond` are
/// added again as time passes.
package struct TokenBucket: Equatable, Sendable {
    package struct Rate: Equatable, Sendable {
        /// At least 1.
        package let burst: Double
        /// More than 0.
        package let perSecond: Double

        package init(burst: Double, perSecond: Double) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    private var tokens: Double
    /// When `tokens` was last updated.
    fileprivate var time: TimeInterval

    /// A full bucket.
    /// - Parameter time: seconds of a clock, which must be the same for every call. Setting that clock back neither
    ///   adds nor removes tokens.
    package init(_ rate: Rate, at time: TimeInterval) {
        tokens = rate.burst
        self.time = time
    }

    /// Takes a token.
    /// - Returns: nil if a token was taken; otherwise the seconds until one is available.
    package mutating func take(_ rate: Rate, at time: TimeInterval) -> TimeInterval? {
        fill(rate, at: time)
        guard tokens >= 1 else { return (1 - tokens) / rate.perSecond }
        tokens -= 1
        return nil
    }

    /// Puts tokens back, for events that turned out not to count.
    package mutating func giveBack(_ count: Int, _ rate: Rate, at time: TimeInterval) {
        fill(rate, at: time)
        tokens = min(rate.burst, tokens + Double(count))
    }

    package func isFull(_ rate: Rate, at time: TimeInterval) -> Bool { remaining(rate, at: time) >= rate.burst }

    fileprivate func remaining(_ rate: Rate, at time: TimeInterval) -> Double {
        min(rate.burst, tokens + max(0, time - self.time) * rate.perSecond)
    }

    private mutating func fill(_ rate: Rate, at time: TimeInterval) {
        tokens = remaining(rate, at: time)
        self.time = time
    }
}

/// A bucket for each key. Keys whose bucket is full may be forgotten, since a new one starts full.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let rate: TokenBucket.Rate
    private let max: Int
    private var buckets: [Key: TokenBucket] = [:]

    /// - Parameter max: the maximum number of keys to keep, at least 4. Beyond it those used longest ago are forgotten.
    package init(_ rate: TokenBucket.Rate, max: Int) {
        self.rate = rate
        self.max = max
    }

    /// The number of keys that are kept.
    package var count: Int { buckets.count }

    /// Takes a token from the key's bucket.
    /// - Returns: nil if a token was taken; otherwise the seconds until one is available.
    package mutating func take(_ key: Key, at time: Date) -> TimeInterval? {
        let time = time.timeIntervalSinceReferenceDate
        let wait = buckets[key, default: TokenBucket(rate, at: time)].take(rate, at: time)
        if buckets.count > max { forget(at: time) }
        return wait
    }

    /// How many tokens the key's bucket has.
    package func remaining(of key: Key, at time: Date) -> Int {
        Int(buckets[key]?.remaining(rate, at: time.timeIntervalSinceReferenceDate) ?? rate.burst)
    }

    /// Puts tokens back, for events that turned out not to count.
    package mutating func giveBack(_ count: Int, to key: Key, at time: Date) {
        let time = time.timeIntervalSinceReferenceDate
        guard var bucket = buckets[key] else { return }
        bucket.giveBack(count, rate, at: time)
        buckets[key] = bucket.isFull(rate, at: time) ? nil : bucket
    }

    /// Removes full buckets, then those used longest ago, until a quarter of the room is free, so that the next calls
    /// do not have to do this again.
    private mutating func forget(at time: TimeInterval) {
        buckets = buckets.filter { !$0.value.isFull(rate, at: time) }
        let kept = max * 3 / 4
        guard buckets.count > kept else { return }
        for (key, _) in buckets.sorted(by: { $0.value.time < $1.value.time }).prefix(buckets.count - kept) {
            buckets[key] = nil
        }
    }
}
