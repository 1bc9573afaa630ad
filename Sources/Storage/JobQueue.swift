import Foundation

/// Work for the threads of a database: first in, first out.
///
/// The invariant that makes it `Sendable`: `jobs` and `isClosed` are touched only while `condition` is locked.
final class JobQueue<Job>: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var isClosed = false

    /// - Returns: false if the queue is closed; the job is then not taken.
    func append(_ job: Job) -> Bool {
        condition.withLock {
            guard !isClosed else { return false }
            jobs.append(job)
            condition.signal()
            return true
        }
    }

    /// Waits for work and takes up to `max` jobs; empty when the queue is closed and done.
    func take(max: Int) -> [Job] {
        condition.withLock {
            while jobs.isEmpty && !isClosed { condition.wait() }
            let taken = Array(jobs.prefix(max))
            jobs.removeFirst(taken.count)
            return taken
        }
    }

    /// Lets the threads finish what is waiting and then stop.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }
}

/// A thread that can be waited for.
final class WorkerThread: @unchecked Sendable {
    // `finished` locks itself; the thread is only started, never touched again.
    private let finished = DispatchGroup()

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        finished.enter()
        let thread = Thread { [finished] in
            body()
            finished.leave()
        }
        thread.name = name
        thread.stackSize = 1 << 20
        thread.start()
    }

    func join() async {
        await withCheckedContinuation { continuation in
            finished.notify(queue: .global()) { continuation.resume() }
        }
    }
}
