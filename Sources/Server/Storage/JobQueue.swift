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
        let isAccepted = condition.withLock {
            if !isClosed { jobs.append(job) }
            return !isClosed
        }
        // Not while it is locked: the thread would wake up only to wait for the lock.
        if isAccepted { condition.signal() }
        return isAccepted
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

/// The threads of sessions, each for one of them.
///
/// The invariant that makes it `Sendable`: `isClosed` is touched only while `lock` is locked.
final class SessionThreads: @unchecked Sendable {
    private let lock = NSLock()
    private var isClosed = false
    private let running = DispatchGroup()

    /// - Returns: false after ``close()``; `body` is then not run.
    func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let isOpen = lock.withLock {
            if !isClosed { running.enter() }
            return !isClosed
        }
        guard isOpen else { return false }
        _ = WorkerThread(name: name) { [running] in
            body()
            running.leave()
        }
        return true
    }

    /// Starts no more, and waits for those that run.
    func close() async {
        lock.withLock { isClosed = true }
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
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
