import Foundation
import Synchronization

/// Limits how often progress is recorded: at most once a second.
final class Pace: Sendable {
    private let last = Mutex(Date.distantPast)

    func isDue(at now: Date) -> Bool {
        last.withLock { last in
            guard now.timeIntervalSince(last) >= 1 else { return false }
            last = now
            return true
        }
    }
}
