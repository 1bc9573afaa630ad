import Ground
import Synchronization
import Testing

@Suite struct BlockingQueueTests {
    private struct Failed: Error, Equatable { let number: Int }

    /// How many are inside, and the most that ever were.
    private final class Inside: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    @Test(
        "each gets what its own work returns or throws, and no more run at a time than there are threads",
        arguments: [1, 4])
    func width(width: Int) async {
        let queue = BlockingQueue(width: width)
        let inside = Inside()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let work: @Sendable () throws -> Int = {
                        inside.enter()
                        defer { inside.leave() }
                        for _ in 0..<1_000 { _ = Stopwatch().elapsed }
                        if number.isMultiple(of: 3) { throw Failed(number: number) }
                        return number
                    }
                    do {
                        let value = try await queue.run(work)
                        #expect(value == number && !number.isMultiple(of: 3))
                    } catch {
                        #expect(error as? Failed == Failed(number: number) && number.isMultiple(of: 3))
                    }
                }
            }
        }
        #expect(inside.most >= 1 && inside.most <= width)
    }

    @Test("one thread takes what waits in the order in which it came", .timeLimit(.minutes(1)))
    func order() async throws {
        let queue = BlockingQueue(width: 1)
        let order = Order()
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let blocker = Task {
            try await queue.run {
                begin.finish()
                gate.wait()
            }
        }
        for await _ in began {}
        // Runs up to where it waits before the next one is made.
        let tasks = (0..<20).map { number in
            Task.immediate { try await queue.run { order.add(number) } }
        }
        gate.open()
        try await blocker.value
        for task in tasks { try await task.value }
        #expect(order.numbers == Array(0..<20))
    }

    @Test("a thread waits for more work, and ends when none comes", .timeLimit(.minutes(1)))
    func patience() async throws {
        let queue = BlockingQueue(width: 64, patience: .seconds(60))
        for number in 0..<50 { _ = try await queue.run { number } }
        // The last one may not have sat down yet when the next work comes.
        #expect((1...3).contains(queue.threads))
        let hasty = BlockingQueue(width: 64, patience: .milliseconds(1))
        for number in 0..<50 { _ = try await hasty.run { number } }
        while hasty.threads > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("no work is lost where threads end at the moment at which it comes", .timeLimit(.minutes(1)))
    func lastMoment() async throws {
        let queue = BlockingQueue(width: 2, patience: .microseconds(50))
        for number in 0..<2_000 {
            let value = try await queue.run { number }
            #expect(value == number)
            if number.isMultiple(of: 3) { try await Task.sleep(for: .microseconds(60)) }
        }
    }

    private final class Order: Sendable {
        private let list = Mutex<[Int]>([])
        var numbers: [Int] { list.withLock { $0 } }
        func add(_ number: Int) { list.withLock { $0.append(number) } }
    }

    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        func open() { isOpen.withLock { $0 = true } }
        func wait() { while !isOpen.withLock({ $0 }) {} }
    }
}
