import Ground
@testable import Directory
import Fixtures
import Foundation
import Synchronization
import Testing

@Suite struct FairQueueTests {
    private let flood = HashRequester.address(AddressBlock("192.0.2.7"))
    private let other = HashRequester.address(AddressBlock("192.0.2.8"))
    private let known = HashRequester.browser(SecretHash(of: "desk"))

    /// A queue of one thread that is busy until the gate opens.
    private func blocked(waitingMax: Int = 100) async -> (FairQueue, DispatchSemaphore, Task<Void, any Error>) {
        let queue = FairQueue(width: 1, waitingMax: waitingMax)
        let (gate, started) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        let blocker = Task {
            try await queue.run(for: .server) {
                started.continuation.yield()
                gate.wait()
            }
        }
        for await _ in started.stream { break }
        return (queue, gate, blocker)
    }

    /// Adds `count` jobs, and returns when they wait in the queue.
    private func enqueue(
        _ count: Int, for requester: HashRequester, in queue: FairQueue,
        _ body: @escaping @Sendable (Int) -> Void
    ) async -> [Task<Bool, Never>] {
        var tasks: [Task<Bool, Never>] = []
        for index in 0..<count {
            let before = queue.broughtCount
            tasks.append(Task { (try? await queue.run(for: requester) { body(index) }) != nil })
            while queue.broughtCount == before { await Task.yield() }
        }
        return tasks
    }

    @Test("who brings many jobs makes another wait for one of them only, and keeps the order of their own")
    func turns() async throws {
        let (queue, gate, blocker) = await blocked()
        let order = Mutex<[String]>([])
        let note = { @Sendable (text: String) in order.withLock { $0.append(text) } }
        var tasks = await enqueue(20, for: flood, in: queue) { note("flood \($0)") }
        tasks += await enqueue(2, for: other, in: queue) { note("other \($0)") }
        tasks += await enqueue(1, for: known, in: queue) { note("known \($0)") }
        gate.signal()
        for task in tasks { #expect(await task.value) }
        try await blocker.value
        #expect(
            order.withLock { Array($0.prefix(6)) }
                == ["flood 0", "other 0", "known 0", "flood 1", "other 1", "flood 2"])
        #expect(order.withLock { $0.count } == 23)
        #expect(order.withLock { $0.filter { $0.hasPrefix("flood") } } == (0..<20).map { "flood \($0)" })
    }

    @Test("one requester holds half of the places at most; the rest is for others")
    func share() async throws {
        let (queue, gate, blocker) = await blocked(waitingMax: 10)
        let many = await enqueue(12, for: flood, in: queue) { _ in }
        let few = await enqueue(3, for: other, in: queue) { _ in }
        gate.signal()
        var taken = 0
        for task in many where await task.value { taken += 1 }
        #expect(taken == 5)
        for task in few { #expect(await task.value) }
        try await blocker.value
    }

    @Test("when all places are taken, who has most gives one to who has none")
    func givesWay() async throws {
        let (queue, gate, blocker) = await blocked(waitingMax: 10)
        let first = await enqueue(5, for: flood, in: queue) { _ in }
        let second = await enqueue(5, for: other, in: queue) { _ in }
        let last = await enqueue(2, for: known, in: queue) { _ in }
        // By now each requester has had about the same share.
        let own = await enqueue(1, for: flood, in: queue) { _ in }
        gate.signal()
        var taken = 0
        for task in first + second where await task.value { taken += 1 }
        #expect(taken == 8)
        for task in last { #expect(await task.value) }
        #expect(await own[0].value == false)
        try await blocker.value
    }

    @Test("no more run at once than the width, on threads that are nice")
    func width() async {
        let queue = FairQueue(width: 3, waitingMax: 1_000)
        let running = Mutex(0)
        let most = Mutex(0)
        let niceness = await concurrently(0..<100) { _ in
            try? await queue.run(for: .server) { () -> Int32 in
                let now = running.withLock { count in
                    count += 1
                    return count
                }
                most.withLock { $0 = max($0, now) }
                Thread.sleep(forTimeInterval: 0.001)
                running.withLock { $0 -= 1 }
                return getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            }
        }
        #expect(most.withLock { $0 } == 3)
        #expect(Set(niceness) == [10 + getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)])
    }
}
