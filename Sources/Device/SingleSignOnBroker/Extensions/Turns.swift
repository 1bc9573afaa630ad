/// Gives a turn to one member at a time, in order of arrival. A member keeps its turn until it gives it up, however
/// often it asks for it again.
struct Turns<Member: AnyObject> {
    private var current: Member?
    /// In order of arrival.
    private var waiting: [Member] = []

    /// Asks for the turn.
    /// - Returns: whether the member has it now; otherwise the member waits.
    mutating func want(_ member: Member) -> Bool {
        if current == nil { current = member }
        if current === member { return true }
        if !waiting.contains(where: { $0 === member }) { waiting.append(member) }
        return false
    }

    /// Takes a member out, whether it has the turn or waits.
    /// - Returns: whether it had the turn. If so, ``next()`` is to be called.
    mutating func giveUp(_ member: Member) -> Bool {
        waiting.removeAll { $0 === member }
        guard current === member else { return false }
        current = nil
        return true
    }

    /// Passes the turn on.
    /// - Returns: the member that gets it; nil if a member still has it, or none waits.
    mutating func next() -> Member? {
        guard current == nil, !waiting.isEmpty else { return nil }
        current = waiting.removeFirst()
        return current
    }

    /// Takes out all members that wait, in order.
    mutating func takeWaiting() -> [Member] {
        defer { waiting = [] }
        return waiting
    }
}
