import Foundation
import NIOCore
import SingleSignOnWire

/// How long an extension that has failed is left alone: twice as long with each failure, until it answers.
struct BackOff {
    private let first: TimeAmount
    private let longest: TimeAmount
    /// nil once it has answered.
    private var failure: BrokerStatus.Extension.Failure?
    /// The same, for callers.
    private var told = ""
    private var until: NIODeadline?

    init(first: TimeAmount, longest: TimeAmount) {
        self.first = first
        self.longest = longest
    }

    var lastFailure: BrokerStatus.Extension.Failure? { failure }

    /// Until it may be started again; nil if it may be now.
    func left(at time: NIODeadline) -> TimeAmount? { until.flatMap { $0 > time ? $0 - time : nil } }

    /// - Parameter date: of `time`, for people.
    /// - Returns: how long it is left alone; nil if it is already: what goes wrong for several requests at once is one failure.
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

    /// Why it is not asked now, and for how long; nil if it is.
    func problem(at time: NIODeadline) -> ExtensionHost.Problem? {
        guard let wait = left(at: time), let failure else { return nil }
        let rest = "; it is started again in \(wait.nanoseconds / 1_000_000_000 + 1) s"
        return .init(detail: failure.reason + rest, told: told + rest)
    }
}
