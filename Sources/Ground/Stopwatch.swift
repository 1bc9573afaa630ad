/// How long something takes or waits within this process, by the machine's monotonic clock, which nobody sets.
///
/// It is not passed in as ``Surroundings`` are: nothing that outlives the process may rest on it.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    /// Begins at once.
    package init() {}

    package var elapsed: Duration { start.duration(to: .now) }
}
