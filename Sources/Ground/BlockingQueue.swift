import Synchronization

/// Runs blocking work on a few threads of its own, in the order in which it was added. A thread ends when the queue is
/// empty.
package final class BlockingQueue: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let width: Int
    private let state = Mutex(State())

    /// - Parameter width: the maximum number of threads.
    package init(width: Int) { self.width = width }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            add { continuation.resume(with: Result(catching: body)) }
        }
    }

    private func add(_ job: @escaping @Sendable () -> Void) {
        let hasThread = state.withLock { state in
            guard state.running < width else {
                state.waiting.append(job)
                return false
            }
            state.running += 1
            return true
        }
        guard hasThread else { return }
        BlockingThread.start { [self] in
            job()
            while let job = next() { job() }
        }
    }

    /// - Returns: the next job; nil if there is none and the thread should end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
