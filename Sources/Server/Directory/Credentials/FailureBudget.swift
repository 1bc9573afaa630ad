import Foundation
import Ground
import Synchronization

/// Limits wrong passwords by address: when the budget of an address is exhausted, browsers there that no account knows
/// have to wait.
///
/// It refills with time, and a successful sign-in gives back what the same person mistyped before. So the everyday
/// errors of a school whose pupils share one address do not exhaust it, but somebody who tries one password on every
/// account does.
///
/// It is held in memory, because counting in the database would cost a write for each attempt of a stranger. With
/// several nodes each has its own budget; the counts by account hold for all of them.
package final class FailureBudget: Sendable {
    package struct Limits: Sendable {
        /// Wrong passwords that are possible at once.
        package var burst = 300.0
        /// Wrong passwords that are added to the budget each minute.
        package var perMinute = 2.0
        /// The maximum number of addresses that are remembered. Beyond it, those used longest ago are forgotten.
        package var addressesMax = 10_000

        package init() {}
    }

    /// The budget is exhausted.
    package struct Exhausted: Error {
        /// When the next attempt is possible.
        package let until: Date
        /// Whether this should be recorded: nothing was for an hour.
        package let isNews: Bool

        /// Whole seconds until then, at least 1.
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

    /// Takes an attempt out of the budget before its password is checked, so that many at once are counted too.
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

    /// Gives back attempts that turned out not to be guesses.
    package func giveBack(_ count: Int, to address: AddressBlock) {
        let now = now()
        state.withLock { $0.buckets.giveBack(count, to: address, at: now) }
    }

    /// How many addresses are remembered.
    var addressCount: Int { state.withLock { $0.buckets.count } }
}
