import Foundation
import Ground
import Testing

@Suite struct BlockingThreadTests {
    @Test("work that blocks, however much, keeps neither the caller nor other work", .timeLimit(.minutes(1)))
    func blocks() async {
        let gate = DispatchSemaphore(value: 0)
        let (ended, end) = AsyncStream.makeStream(of: Int.self)
        // More than the cooperative pool has threads.
        let count = 8 * ProcessInfo.processInfo.activeProcessorCount
        for number in 0..<count {
            BlockingThread.start {
                gate.wait()
                end.yield(number)
            }
        }
        // All of them wait, and this one is not kept.
        await withCheckedContinuation { continuation in BlockingThread.start { continuation.resume() } }
        for _ in 0..<count { gate.signal() }
        var numbers: Set<Int> = []
        for await number in ended {
            numbers.insert(number)
            if numbers.count == count { break }
        }
        #expect(numbers == Set(0..<count))
    }

    @Test("what the work holds is let go when it has ended", .timeLimit(.minutes(1)))
    func lets() async {
        final class Held: Sendable {
            let gone: AsyncStream<Void>.Continuation
            init(_ gone: AsyncStream<Void>.Continuation) { self.gone = gone }
            deinit { gone.finish() }
        }
        let (gone, continuation) = AsyncStream.makeStream(of: Void.self)
        do {
            let held = Held(continuation)
            BlockingThread.start { withExtendedLifetime(held) {} }
        }
        for await _ in gone {}
    }
}
