/// How many requests are open at the extensions, altogether and for each process that asks.
///
/// A request is counted before anything is awaited for it, so that no number of requests at once passes the limits.
struct RequestCounts {
    private let max: Int
    private let maxPerCaller: Int
    private var open = 0
    private var openByCaller: [Int32: Int] = [:]

    init(max: Int, maxPerCaller: Int) {
        self.max = max
        self.maxPerCaller = maxPerCaller
    }

    var isEmpty: Bool { open == 0 }

    /// Counts a request of a process.
    /// - Returns: false, without counting it, if a limit is reached. Otherwise ``end(by:)`` is to follow once.
    mutating func begin(by process: Int32) -> Bool {
        guard open < max, openByCaller[process, default: 0] < maxPerCaller else { return false }
        open += 1
        openByCaller[process, default: 0] += 1
        return true
    }

    /// A request that was counted is over.
    mutating func end(by process: Int32) {
        open -= 1
        openByCaller[process, default: 1] -= 1
        // Processes come and go: none is remembered that has no request open.
        if openByCaller[process] == 0 { openByCaller[process] = nil }
    }
}
