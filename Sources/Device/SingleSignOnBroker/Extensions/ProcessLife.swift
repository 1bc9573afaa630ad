/// The life of one process of an extension, from before its start to its end. Used on the event loop of its host alone.
///
/// Events can arrive before the start has returned the process, and after another process has taken its place. Each
/// start has a life of its own, so that they are not taken for events of another process.
final class ProcessLife<Process: AnyObject>: @unchecked Sendable {
    /// Nil until the start has returned.
    private(set) var process: Process?
    /// Whether the process has ended, possibly before the start has returned.
    private(set) var hasEnded = false
    /// A few reports for which no request waits are normal, because they come late.
    private var strayReports = 0
    private let strayReportsMax: Int

    init(strayReportsMax: Int = 10_000) { self.strayReportsMax = strayReportsMax }

    /// The start has returned.
    /// - Returns: false if the process has ended already.
    func start(_ process: Process) -> Bool {
        self.process = process
        return !hasEnded
    }

    func end() { hasEnded = true }

    /// Counts a report for which no request waits.
    /// - Returns: false if there were too many.
    func countStrayReport() -> Bool {
        strayReports += 1
        return strayReports <= strayReportsMax
    }
}
