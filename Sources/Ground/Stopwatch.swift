/// Measures durations within this process by the monotonic clock, which does not change when the time of day is set.
///
/// Unlike ``Surroundings`` it is not passed in. Do not use it for times that are stored or sent.
package struct Stopwatch: Sendable {
    private let start = ContinuousClock.now

    /// Starts measuring.
    package init() {}

    package var elapsed: Duration { start.duration(to: .now) }
}
