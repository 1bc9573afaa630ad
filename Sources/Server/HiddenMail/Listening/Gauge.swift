import Synchronization

/// How many there are at the moment.
final class Gauge: Sendable {
    private let count = Mutex(0)

    @discardableResult
    func increment() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }

    func decrement() { count.withLock { $0 -= 1 } }
}
