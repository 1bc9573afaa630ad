import NIOCore
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How long an extension is not started again after a failure: twice as long after each failure, until it answers.
struct BackOff {
    private let first: TimeAmount
    private let longest: TimeAmount
    /// The last failure; nil if the extension has answered since.
    private var failure: BrokerStatus.Extension.Failure?
    /// The failure's reason, in words for callers.
    private var told = ""
    private var until: NIODeadline?

    init(first: TimeAmount, longest: TimeAmount) {
        self.first = first
        self.longest = longest
    }

    var lastFailure: BrokerStatus.Extension.Failure? { failure }

    /// The time until it may be started again; nil if it may be now.
    func left(at time: NIODeadline) -> TimeAmount? { until.flatMap { $0 > time ? $0 - time : nil } }

    /// Notes a failure.
    /// - Parameter date: the same moment as `time`, on the clock that people see.
    /// - Returns: how long it is left alone now. Nil if it is left alone already, because what goes wrong for several
    ///   requests at the same time is one failure.
    mutating func fail(_ problem: ExtensionHost.Problem, at time: NIODeadline, date: Date) -> TimeAmount? {
        guard left(at: time) == nil else { return nil }
        let before = failure?.inARow ?? 0
        let wait = TimeAmount.nanoseconds(min(longest.nanoseconds, first.nanoseconds << min(before, 16)))
        failure = .init(reason: problem.detail.inShortLine, at: date, inARow: before + 1)
        told = problem.told.inShortLine
        until = time + wait
        return wait
    }

    mutating func answered() { (failure, until) = (nil, nil) }

    /// Why the extension is not asked now, and for how long; nil if it may be asked.
    func problem(at time: NIODeadline) -> ExtensionHost.Problem? {
        guard let wait = left(at: time), let failure else { return nil }
        let rest = "; it is started again in \(wait.nanoseconds / 1_000_000_000 + 1) s"
        return .init(detail: failure.reason + rest, told: told + rest)
    }
}
