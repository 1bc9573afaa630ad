import Foundation
import Ground

/// On whose behalf a password is hashed. The queue is fair between requesters.
package enum HashRequester: Hashable, Sendable {
    /// Any request from this address by a browser that the account does not know.
    case address(AddressBlock)
    /// A browser that the account knows is a requester of its own, and does not wait behind others of its address.
    case browser(SecretHash)
    /// The server itself, the command line.
    case server

    init(_ origin: Origin) { self = origin.addressBlock.map(Self.address) ?? .server }
}

/// Runs blocking work on a few threads of its own, off the cooperative pool.
///
/// Requesters take turns, so one with a thousand jobs delays another by a single job. The threads have a lower priority
/// than the rest of the server.
///
/// `@unchecked Sendable` is sound because all mutable state is accessed only while `lock` is held.
final class FairQueue: @unchecked Sendable {
    private struct Job {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void
    }

    private let width: Int
    private let waitingMax: Int
    /// The maximum number of waiting jobs of one requester.
    private let shareMax: Int

    private let lock = NSLock()
    private var running = 0
    private var brought = 0
    private var waiting: [HashRequester: [Job]] = [:]
    private var waitingCount = 0
    /// Requesters with waiting jobs, in the order of their turns.
    private var turns: [HashRequester] = []

    init(width: Int, waitingMax: Int) {
        self.width = width
        self.waitingMax = waitingMax
        shareMax = max(1, waitingMax / 2)
    }

    /// How many jobs were submitted so far, including refused ones.
    var broughtCount: Int { lock.withLock { brought } }

    /// - Throws: ``PasswordHasher/Overloaded`` when too many jobs wait, in total or of this requester. It can also be
    ///   thrown later, when the place goes to a requester with fewer jobs.
    func run<Value: Sendable>(
        for requester: HashRequester, _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                run: { continuation.resume(returning: body()) },
                drop: { continuation.resume(throwing: PasswordHasher.Overloaded()) })
            lock.withLock { append(job, for: requester) }?.drop()
        }
    }

    /// - Returns: the job that has to be refused, this one or another; nil if there was room.
    private func append(_ job: Job, for requester: HashRequester) -> Job? {
        brought += 1
        if running < width {
            running += 1
            startThread(with: job)
            return nil
        }
        let own = waiting[requester]?.count ?? 0
        guard own < shareMax else { return job }
        var dropped: Job?
        if waitingCount >= waitingMax {
            // The requester with most waiting jobs gives up its last one, which would have waited longest anyway.
            guard let (heaviest, jobs) = waiting.max(by: { $0.value.count < $1.value.count }), jobs.count > own + 1
            else { return job }
            dropped = waiting[heaviest]?.removeLast()
            waitingCount -= 1
        }
        if own == 0 { turns.append(requester) }
        waiting[requester, default: []].append(job)
        waitingCount += 1
        return dropped
    }

    private func next() -> Job? {
        lock.withLock {
            guard !turns.isEmpty else {
                running -= 1
                return nil
            }
            let requester = turns.removeFirst()
            let job = waiting[requester]?.removeFirst()
            waitingCount -= 1
            if waiting[requester]?.isEmpty == false {
                turns.append(requester)
            } else {
                waiting[requester] = nil
            }
            return job
        }
    }

    /// Threads end when nothing waits: starting one takes a thousandth of the time of a hash.
    private func startThread(with first: Job) {
        BlockingThread.start { [self] in
            Self.beNice()
            var job: Job? = first
            while let current = job {
                current.run()
                job = next()
            }
        }
    }

    private static func beNice() {
        #if os(Linux)
            // On Linux this sets the priority of this thread alone, contrary to POSIX: setpriority(2), "C
            // library/kernel differences".
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
