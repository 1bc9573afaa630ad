import Foundation
import LanyardClient
import Synchronization

/// Trips to the consent page that have not come back yet. Each can be taken once, by the browser that began it.
final class PendingAttempts: Sendable {
    private struct Pending {
        let attempt: AuthorizationAttempt
        let browserID: String
        let expiresAt: Date
    }

    private let byState = Mutex<[String: Pending]>([:])
    private let now: @Sendable () -> Date

    /// Long enough to find the right password, or the right person.
    private static let lifetime: TimeInterval = 3_600
    private static let countMax = 10_000

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    func begin(browserID: String) -> AuthorizationAttempt {
        let attempt = AuthorizationAttempt.random()
        let now = now()
        byState.withLock { pending in
            if pending.count >= Self.countMax {
                pending = pending.filter { now < $0.value.expiresAt }
            }
            guard pending.count < Self.countMax else { return }  // then this one will be refused when it comes back
            pending[attempt.state] = Pending(
                attempt: attempt, browserID: browserID, expiresAt: now.addingTimeInterval(Self.lifetime))
        }
        return attempt
    }

    /// Nil if the state is unknown, taken, too old, or another browser's. A wrong browser does not use it up.
    func take(state: String, browserID: String) -> AuthorizationAttempt? {
        let now = now()
        return byState.withLock { pending in
            guard let found = pending[state], found.browserID == browserID else { return nil }
            pending[state] = nil
            return now < found.expiresAt ? found.attempt : nil
        }
    }
}
