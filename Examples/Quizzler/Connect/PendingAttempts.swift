import Foundation
import LanyardClient
import Synchronization

/// Authorization attempts whose browser has not returned from the consent page yet. Each can be taken once, by the
/// browser that began it.
final class PendingAttempts: Sendable {
    private struct Pending {
        let attempt: AuthorizationAttempt
        let browserID: String
        let expiresAt: Date
    }

    private let byState = Mutex<[String: Pending]>([:])
    private let now: @Sendable () -> Date

    /// In seconds: an hour, to find a password or the person who may consent.
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
            // An attempt that is not kept is refused when the browser returns.
            guard pending.count < Self.countMax else { return }
            pending[attempt.state] = Pending(
                attempt: attempt, browserID: browserID, expiresAt: now.addingTimeInterval(Self.lifetime))
        }
        return attempt
    }

    /// Nil if the state is unknown, was taken before, is too old, or belongs to another browser. Another browser does
    /// not use it up.
    func take(state: String, browserID: String) -> AuthorizationAttempt? {
        let now = now()
        return byState.withLock { pending in
            guard let found = pending[state], found.browserID == browserID else { return nil }
            pending[state] = nil
            return now < found.expiresAt ? found.attempt : nil
        }
    }
}
