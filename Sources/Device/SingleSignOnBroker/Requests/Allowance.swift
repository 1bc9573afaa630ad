import Ground
import NIOCore

/// A bucket of `perSecond`, for events that callers can trigger without limit. It knows how many were left out.
struct Allowance {
    private let rate: TokenBucket.Rate
    private var bucket: TokenBucket
    /// How often it was refused since it was allowed last.
    private var refused = 0

    init(perSecond: Int, at time: NIODeadline = .now()) {
        rate = TokenBucket.Rate(burst: Double(perSecond), perSecond: Double(perSecond))
        bucket = TokenBucket(rate, at: time.seconds)
    }

    /// - Returns: nil if it is too often now; otherwise how often it was so before.
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
    /// Of the machine's own clock, which nobody sets.
    fileprivate var seconds: Double { Double(uptimeNanoseconds) / 1e9 }
}
