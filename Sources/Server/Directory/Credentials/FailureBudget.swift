import Foundation
import Ground
import Synchronization

/// How many wrong passwords an address may send before browsers that no account knows have to wait there.
///
/// It refills with time, and with every sign-in that succeeds: what the same person mistyped before is given back. So a
/// school whose pupils all come from one address does not exhaust it by its everyday errors, while a stranger, or a
/// pupil, who tries one password on everybody does.
///
/// It is held in memory: counting in the database would cost a write before each attempt, and let strangers write there.
/// Several nodes have a budget each; what is counted by account holds for all of them.
package final class FailureBudget: Sendable {
    package struct Limits: Sendable {
        /// Wrong passwords that may come at once.
        package var burst = 300.0
        /// Refilled again.
        package var perMinute = 2.0
        /// Addresses that are remembered; beyond it those that came last are.
        package var addressesMax = 10_000

        package init() {}
    }

    /// The budget is exhausted.
    package struct Exhausted: Error {
        /// When there is something in it again.
        package let until: Date
        /// Nothing was told of an exhausted budget for an hour.
        package let isNews: Bool

        /// At least one.
        package func seconds(from now: Date) -> Int { max(1, Int(until.timeIntervalSince(now).rounded(.up))) }
    }

    private struct State {
        var buckets: TokenBuckets<AddressBlock>
        var toldAt: Date?
    }

    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    package init(_ limits: Limits = Limits(), now: @escaping @Sendable () -> Date) {
        self.now = now
        let rate = TokenBucket.Rate(burst: limits.burst, perSecond: limits.perMinute / 60)
        state = Mutex(State(buckets: TokenBuckets(rate, max: limits.addressesMax)))
    }

    /// Takes an attempt out of the budget before anything is known of it, so that many at once are counted too.
    /// - Throws: ``Exhausted``
    package func take(_ address: AddressBlock) throws {
        let now = now()
        try state.withLock { state in
            guard let wait = state.buckets.take(address, at: now) else { return }
            let isNews = state.toldAt.map { now.timeIntervalSince($0) >= 3_600 } ?? true
            if isNews { state.toldAt = now }
            throw Exhausted(until: now.addingTimeInterval(wait), isNews: isNews)
        }
    }

    /// Gives attempts back that were no guesses.
    package func giveBack(_ count: Int, to address: AddressBlock) {
        let now = now()
        state.withLock { $0.buckets.giveBack(count, to: address, at: now) }
    }

    /// How many addresses are remembered.
    var addressCount: Int { state.withLock { $0.buckets.count } }
}
