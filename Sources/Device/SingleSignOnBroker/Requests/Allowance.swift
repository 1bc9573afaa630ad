import Ground
import NIOCore

/// A token bucket of `perSecond`, for events that callers can trigger without limit. It counts those that it refuses.
struct Allowance {
    private let rate: TokenBucket.Rate
    private var bucket: TokenBucket
    /// The number of refusals since the last time that it was allowed.
    private var refused = 0

    init(perSecond: Int, at time: NIODeadline = .now()) {
        rate = TokenBucket.Rate(burst: Double(perSecond), perSecond: Double(perSecond))
        bucket = TokenBucket(rate, at: time.seconds)
    }

    /// Asks whether an event is allowed.
    /// - Returns: nil if there were too many; otherwise how many were refused since the last that was allowed.
    mutating func take(at time: NIODeadline = .now()) -> Int? {
        guard bucket.take(rate, at: time.seconds) == nil else {
            refused += 1
            return nil
        }
        defer { refused = 0 }
        return refused
    }
}

extension NIODeadline {
    /// Seconds on the monotonic clock, which does not jump when the time is set.
    fileprivate var seconds: Double { Double(uptimeNanoseconds) / 1e9 }
}
