import Foundation
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

    private struct Bucket {
        var tokens: Double
        var filledAt: Date
    }

    private struct State {
        var buckets: [AddressBlock: Bucket] = [:]
        var toldAt: Date?
    }

    private let limits: Limits
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    package init(_ limits: Limits = Limits(), now: @escaping @Sendable () -> Date) {
        self.limits = limits
        self.now = now
    }

    /// Takes an attempt out of the budget before anything is known of it, so that many at once are counted too.
    /// - Throws: ``Exhausted``
    package func take(_ address: AddressBlock) throws {
        let now = now()
        try state.withLock { state in
            var bucket = filled(state.buckets[address], at: now)
            guard bucket.tokens >= 1 else {
                state.buckets[address] = bucket  // it came just now, and is not the one to forget
                let isNews = state.toldAt.map { now.timeIntervalSince($0) >= 3_600 } ?? true
                if isNews { state.toldAt = now }
                throw Exhausted(
                    until: now.addingTimeInterval((1 - bucket.tokens) / limits.perMinute * 60), isNews: isNews)
            }
            bucket.tokens -= 1
            state.buckets[address] = bucket
            if state.buckets.count > limits.addressesMax { forget(&state.buckets, at: now) }
        }
    }

    /// Gives attempts back that were no guesses.
    package func giveBack(_ count: Int, to address: AddressBlock) {
        let now = now()
        state.withLock { state in
            // Nothing is kept of an address whose budget is full.
            guard var bucket = state.buckets[address].map({ filled($0, at: now) }) else { return }
            bucket.tokens += Double(count)
            state.buckets[address] = bucket.tokens < limits.burst ? bucket : nil
        }
    }

    /// How many addresses are remembered.
    var addressCount: Int { state.withLock { $0.buckets.count } }

    private func filled(_ bucket: Bucket?, at now: Date) -> Bucket {
        guard let bucket else { return Bucket(tokens: limits.burst, filledAt: now) }
        let elapsed = max(0, now.timeIntervalSince(bucket.filledAt))
        return Bucket(tokens: min(limits.burst, bucket.tokens + elapsed / 60 * limits.perMinute), filledAt: now)
    }

    /// Makes room for a quarter, so that the next ones need not look again: first those that are full by now, then the
    /// ones that were used longest ago.
    private func forget(_ buckets: inout [AddressBlock: Bucket], at now: Date) {
        buckets = buckets.filter { filled($0.value, at: now).tokens < limits.burst }
        let kept = limits.addressesMax * 3 / 4
        guard buckets.count > kept else { return }
        for (address, _) in buckets.sorted(by: { $0.value.filledAt < $1.value.filledAt }).prefix(buckets.count - kept) {
            buckets[address] = nil
        }
    }
}
