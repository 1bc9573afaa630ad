import Foundation
import Ground

/// For whom a password is hashed: those who wait take turns by it.
package enum HashRequester: Hashable, Sendable {
    /// Whoever comes from there, as long as nothing else is known of them.
    case address(AddressBlock)
    /// A browser that the account knows has a turn of its own: it does not wait behind its neighbours.
    case browser(SecretHash)
    /// The server itself, the command line.
    case server

    init(_ origin: Origin) { self = origin.addressBlock.map(Self.address) ?? .server }
}

/// Runs blocking work on a few threads of its own, off the cooperative pool.
///
/// Requesters take turns, so that one that brings a thousand jobs makes another wait for a single one of them. The
/// threads are nice: whatever else the server does comes first.
///
/// The invariant that makes it `Sendable`: what can change is touched only while `lock` is locked.
final class FairQueue: @unchecked Sendable {
    private struct Job {
        let run: @Sendable () -> Void
        let drop: @Sendable () -> Void
    }

    private let width: Int
    private let waitingMax: Int
    /// How many of the waiting may be one requester's.
    private let shareMax: Int

    private let lock = NSLock()
    private var running = 0
    private var brought = 0
    private var waiting: [HashRequester: [Job]] = [:]
    private var waitingCount = 0
    /// Whoever has something waiting, the next one first.
    private var turns: [HashRequester] = []

    init(width: Int, waitingMax: Int) {
        self.width = width
        self.waitingMax = waitingMax
        shareMax = max(1, waitingMax / 2)
    }

    /// How many jobs were brought so far, with those that found no place.
    var broughtCount: Int { lock.withLock { brought } }

    /// - Throws: ``PasswordHasher/Overloaded`` when too many wait: of all, or of this requester's. It may come later, when
    ///   another one who has less takes the place.
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

    /// - Returns: the job that has no place.
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
            // Who has most waiting gives way to who has less; the last to come had the longest to wait anyway.
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

    /// A thread ends when nothing waits: starting one takes a thousandth of what a hash does.
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
            // Of this thread alone, contrary to POSIX: setpriority(2), "C library/kernel differences".
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
