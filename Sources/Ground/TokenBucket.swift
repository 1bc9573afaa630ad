#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How often something may happen: so many times at once, and then again as time goes by. A full bucket has `burst` tokens,
/// each event takes one, and `perSecond` come back.
package struct TokenBucket: Equatable, Sendable {
    package struct Rate: Equatable, Sendable {
        /// 1 or more.
        package let burst: Double
        /// More than 0.
        package let perSecond: Double

        package init(burst: Double, perSecond: Double) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    private var tokens: Double
    /// When it was looked at last.
    fileprivate var time: TimeInterval

    /// A full one.
    /// - Parameter time: seconds of a clock, the same for every call. One that is set back gives nothing and takes nothing.
    package init(_ rate: Rate, at time: TimeInterval) {
        tokens = rate.burst
        self.time = time
    }

    /// Takes a token out.
    /// - Returns: nil, or the seconds until there is one; then nothing was taken.
    package mutating func take(_ rate: Rate, at time: TimeInterval) -> TimeInterval? {
        fill(rate, at: time)
        guard tokens >= 1 else { return (1 - tokens) / rate.perSecond }
        tokens -= 1
        return nil
    }

    /// Puts tokens back for what did not count after all.
    package mutating func giveBack(_ count: Int, _ rate: Rate, at time: TimeInterval) {
        fill(rate, at: time)
        tokens = min(rate.burst, tokens + Double(count))
    }

    package func isFull(_ rate: Rate, at time: TimeInterval) -> Bool {
        tokens + max(0, time - self.time) * rate.perSecond >= rate.burst
    }

    private mutating func fill(_ rate: Rate, at time: TimeInterval) {
        tokens = min(rate.burst, tokens + max(0, time - self.time) * rate.perSecond)
        self.time = time
    }
}

/// A bucket for each key. A full one takes no room.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let rate: TokenBucket.Rate
    private let max: Int
    private var buckets: [Key: TokenBucket] = [:]

    /// - Parameter max: how many keys are remembered; beyond it those that came last are. 4 or more.
    package init(_ rate: TokenBucket.Rate, max: Int) {
        self.rate = rate
        self.max = max
    }

    /// How many keys are remembered.
    package var count: Int { buckets.count }

    /// Takes a token out of the key's bucket.
    /// - Returns: nil, or the seconds until there is one; then nothing was taken.
    package mutating func take(_ key: Key, at time: Date) -> TimeInterval? {
        let time = time.timeIntervalSinceReferenceDate
        let wait = buckets[key, default: TokenBucket(rate, at: time)].take(rate, at: time)
        if buckets.count > max { forget(at: time) }
        return wait
    }

    /// Puts tokens back for what did not count after all.
    package mutating func giveBack(_ count: Int, to key: Key, at time: Date) {
        let time = time.timeIntervalSinceReferenceDate
        guard var bucket = buckets[key] else { return }
        bucket.giveBack(count, rate, at: time)
        buckets[key] = bucket.isFull(rate, at: time) ? nil : bucket
    }

    /// Makes room for a quarter, so that the next ones need not look again: first those go that are full by now, then the ones
    /// that were used longest ago.
    private mutating func forget(at time: TimeInterval) {
        buckets = buckets.filter { !$0.value.isFull(rate, at: time) }
        let kept = max * 3 / 4
        guard buckets.count > kept else { return }
        for (key, _) in buckets.sorted(by: { $0.value.time < $1.value.time }).prefix(buckets.count - kept) {
            buckets[key] = nil
        }
    }
}
