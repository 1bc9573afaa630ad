/// Whose turn it is, of several of which one at a time may have it. A turn is had until it is given back, however often it is
/// wanted again.
struct Turns<Member: AnyObject> {
    private var current: Member?
    /// In order of arrival.
    private var waiting: [Member] = []

    /// - Returns: whether it is its turn; otherwise it waits.
    mutating func want(_ member: Member) -> Bool {
        if current == nil { current = member }
        if current === member { return true }
        if !waiting.contains(where: { $0 === member }) { waiting.append(member) }
        return false
    }

    /// It neither has the turn nor waits any more.
    /// - Returns: whether it had the turn; then ``next()`` is to be called.
    mutating func giveUp(_ member: Member) -> Bool {
        waiting.removeAll { $0 === member }
        guard current === member else { return false }
        current = nil
        return true
    }

    /// - Returns: who has the turn from now on; nil if somebody has it, or nobody waits.
    mutating func next() -> Member? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// All who wait, in order; they wait no more.
    mutating func takeWaiting() -> [Member] {
        defer { waiting = [] }
        return waiting
    }
}
