import Foundation
import LanyardClient
import Synchronization

/// The sessions of people who are signed in, and the sign-ins that are in progress. Both are kept in memory only.
final class Sessions: Sendable {
    struct Person: Sendable {
        let name: String
        let signedInAt: Date
    }

    private struct State {
        var people: [String: Person] = [:]
        var trips: [String: (attempt: AuthorizationAttempt, begunAt: Date)] = [:]
    }

    private let state = Mutex(State())

    static let lifetime: TimeInterval = 8 * 3_600
    private static let tripLifetime: TimeInterval = 600
    /// The maximum number of each; the oldest are removed first.
    private static let countMax = 10_000

    /// - Returns: the value for the browser's cookie.
    func begin(_ person: Person) -> String {
        let key = Self.key()
        state.withLock { state in
            state.people = state.people.filter { -$1.signedInAt.timeIntervalSinceNow < Self.lifetime }
            if state.people.count >= Self.countMax,
                let oldest = state.people.min(by: { $0.value.signedInAt < $1.value.signedInAt })
            {
                state.people[oldest.key] = nil
            }
            state.people[key] = person
        }
        return key
    }

    func find(_ key: String) -> Person? {
        state.withLock { $0.people[key] }.flatMap { -$0.signedInAt.timeIntervalSinceNow < Self.lifetime ? $0 : nil }
    }

    func end(_ key: String) {
        state.withLock { $0.people[key] = nil }
    }

    /// Remembers a sign-in for which the browser is redirected to the provider.
    /// - Returns: the value for the browser's cookie, so that only this browser can complete the sign-in.
    func set(out attempt: AuthorizationAttempt) -> String {
        let key = Self.key()
        state.withLock { state in
            state.trips = state.trips.filter { -$1.begunAt.timeIntervalSinceNow < Self.tripLifetime }
            if state.trips.count >= Self.countMax,
                let oldest = state.trips.min(by: { $0.value.begunAt < $1.value.begunAt })
            {
                state.trips[oldest.key] = nil
            }
            state.trips[key] = (attempt, Date())
        }
        return key
    }

    /// Returns a sign-in in progress and removes it, so that it can be completed only once.
    func take(_ key: String) -> AuthorizationAttempt? {
        state.withLock { $0.trips.removeValue(forKey: key) }
            .flatMap { -$0.begunAt.timeIntervalSinceNow < Self.tripLifetime ? $0.attempt : nil }
    }

    /// 256 random bits.
    private static func key() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
