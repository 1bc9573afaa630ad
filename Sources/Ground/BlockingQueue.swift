import Dispatch
import Synchronization

/// Runs blocking work on a few threads of its own, in the order in which it was added. A thread that has nothing to do waits two seconds
/// for more, because waking it up costs less than starting another, and ends then.
package final class BlockingQueue: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var running = 0
        /// In the order of their last work: the one that worked last is taken first, so that others can end.
        var idle: [Seat] = []
        var waiting: [Job] = []
    }

    /// Where an idle thread waits for its next job.
    private final class Seat: Sendable {
        let called = DispatchSemaphore(value: 0)
        let job = Mutex<Job?>(nil)
    }

    private let width: Int
    private let patience: DispatchTimeInterval
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: the maximum number of threads.
    ///   - patience: how long an idle thread waits for its next job.
    package init(width: Int, patience: Duration = .seconds(2)) {
        self.width = width
        self.patience = .microseconds(Int(patience / .microseconds(1)))
    }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            add { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// How many threads there are, with those that wait for work.
    package var threads: Int { state.withLock { $0.running + $0.idle.count } }

    private func add(_ job: @escaping Job) {
        let isNew = state.withLock { state in
            if let seat = state.idle.popLast() {
                state.running += 1
                seat.job.withLock { $0 = job }
                seat.called.signal()
                return false
            }
            guard state.running < width else {
                state.waiting.append(job)
                return false
            }
            state.running += 1
            return true
        }
        guard isNew else { return }
        BlockingThread.start { [self] in
            let seat = Seat()
            job()
            while let job = next(seat) { job() }
        }
    }

    /// - Returns: the next job; nil if there is none for a while and the thread should end.
    private func next(_ seat: Seat) -> Job? {
        let waiting: Job? = state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.running -= 1
            state.idle.append(seat)
            return nil
        }
        if let waiting { return waiting }
        if seat.called.wait(timeout: .now() + patience) == .timedOut {
            let hasLeft = state.withLock { state in
                guard let place = state.idle.firstIndex(where: { $0 === seat }) else { return false }
                state.idle.remove(at: place)
                return true
            }
            if hasLeft { return nil }
            // It was called at the last moment.
            seat.called.wait()
        }
        return seat.job.withLock { $0.take() }
    }
}
