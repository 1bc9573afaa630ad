import NIOCore

/// So many times in a second and no more, for what others can bring about as often as they like.
struct Allowance {
    let perSecond: Int
    private var left: Int
    private var refilledAt: NIODeadline
    /// How often it was refused since it was allowed last.
    private var refused = 0

    init(perSecond: Int, at time: NIODeadline = .now()) {
        self.perSecond = perSecond
        left = perSecond
        refilledAt = time
    }

    /// - Returns: nil if it is too often now; otherwise how often it was so before.
    mutating func take(at time: NIODeadline = .now()) -> Int? {
        if time - refilledAt >= .seconds(1) { (left, refilledAt) = (perSecond, time) }
        guard left > 0 else {
            refused += 1
            return nil
        }
        left -= 1
        defer { refused = 0 }
        return refused
    }
}
