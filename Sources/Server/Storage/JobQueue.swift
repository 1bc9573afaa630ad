import Foundation

/// A first-in, first-out queue of work for the threads of a database.
///
/// The thread that has worked last gets the next job, because its connection already has pages and planned statements in
/// memory. Connections that are never needed at the same time are never opened.
///
/// The invariant that makes it `Sendable`: `jobs`, `waiting` and `isClosed` are touched only while `lock` is locked.
final class JobQueue<Job>: @unchecked Sendable {
    private let lock = NSLock()
    private var jobs: [Job] = []
    /// One for each thread that waits; whoever has begun last is at the end.
    private var waiting: [DispatchSemaphore] = []
    private var isClosed = false

    /// - Returns: false if the queue is closed; the job is then not added.
    func append(_ job: Job) -> Bool {
        let (isAccepted, thread) = lock.withLock {
            guard !isClosed else { return (false, nil as DispatchSemaphore?) }
            jobs.append(job)
            return (true, waiting.popLast())
        }
        // After unlocking: otherwise the thread would wake up only to wait for the lock.
        thread?.signal()
        return isAccepted
    }

    /// Waits for work and removes up to `max` jobs. Returns an empty array when the queue is closed and has no jobs
    /// left.
    func take(max: Int) -> [Job] {
        let turn = DispatchSemaphore(value: 0)
        while true {
            let taken: [Job]? = lock.withLock {
                guard !jobs.isEmpty || isClosed else {
                    waiting.append(turn)
                    return nil
                }
                let taken = Array(jobs.prefix(max))
                jobs.removeFirst(taken.count)
                return taken
            }
            if let taken { return taken }
            // Another thread may have taken the job meanwhile; then this one waits again.
            turn.wait()
        }
    }

    /// Accepts no more jobs. The threads finish those that are queued and then stop.
    func close() {
        let threads = lock.withLock {
            isClosed = true
            defer { waiting = [] }
            return waiting
        }
        for thread in threads { thread.signal() }
    }
}

/// The threads of sessions, one for each session.
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

    /// Starts no more threads, and waits for the running ones to finish.
    func close() async {
        lock.withLock { isClosed = true }
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }
}

/// A thread that can be joined.
final class WorkerThread: @unchecked Sendable {
    // Safe to send because a `DispatchGroup` is thread-safe, and the thread is not kept after it is started.
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
