import Fixtures
import Foundation
import Ground
import SeededNumbers
import Synchronization
import Testing

@Suite struct SingleFlightTests {
    private struct Failed: Error, Equatable { let number: Int }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        var number: Int { count.withLock { $0 } }

        @discardableResult func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// What an attempt waits for, and how often there was one.
    private final class Attempts: Sendable {
        private let count = Counter()
        private let go = AsyncStream.makeStream(of: Void.self)

        var number: Int { count.number }
        func finish() { go.continuation.finish() }

        /// - Returns: the number of the attempt, from 1 on.
        func begin() async -> Int {
            let number = count.next()
            for await _ in go.stream {}
            return number
        }
    }

    /// Callers of one attempt that has not ended; all of them wait when this returns, because a task that is started
    /// immediately runs here until it waits.
    private func callers(
        _ number: Int, of flight: SingleFlight<Int>, _ attempts: Attempts
    ) -> [Task<Int, any Error>] {
        (0..<number).map { _ in Task.immediate { try await flight.run { await attempts.begin() } } }
    }

    @Test("all who want the same at a time get the value of one attempt", .timeLimit(.minutes(1)))
    func once() async throws {
        let flight = SingleFlight<Int>()
        let attempts = Attempts()
        let tasks = callers(200, of: flight, attempts)
        attempts.finish()
        for task in tasks { #expect(try await task.value == 1) }
        #expect(attempts.number == 1)
        #expect(try await flight.run { await attempts.begin() } == 2, "nothing is kept")
    }

    @Test(
        "who is cancelled ends nothing for the others", .timeLimit(.minutes(1)), arguments: 1...5 as ClosedRange<UInt64>
    )
    func cancellation(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let flight = SingleFlight<Int>()
        let attempts = Attempts()
        let tasks = callers(100, of: flight, attempts)
        for task in tasks where seed == 1 || Bool.random(using: &generator) { task.cancel() }
        attempts.finish()
        for task in tasks { #expect(try await task.value == 1) }
        #expect(attempts.number == 1)
    }

    @Test("an error reaches all who wait, and nobody after them", .timeLimit(.minutes(1)))
    func errors() async throws {
        let flights = SingleFlights<String, Int>()
        let count = Counter()
        let (go, finish) = AsyncStream.makeStream(of: Void.self)
        @Sendable func fail() async throws -> Int {
            for await _ in go {}
            throw Failed(number: count.next())
        }
        let tasks = (0..<50).map { _ in Task.immediate { try await flights.run("key", fail) } }
        finish.finish()
        for task in tasks { await #expect(throws: Failed(number: 1)) { try await task.value } }
        await #expect(throws: Failed(number: 2)) { try await flights.run("key", fail) }
        #expect(try await flights.run("key") { 7 } == 7)
    }

    @Test("one key waits for no other", .timeLimit(.minutes(1)))
    func keys() async throws {
        let flights = SingleFlights<Int, Int>()
        let value = try await flights.run(1) { try await flights.run(2) { 2 } + 1 }
        #expect(value == 3)
    }

    /// Caches a value in the way in which all users of `SingleFlight` do.
    private actor Keeper {
        private let flight = SingleFlight<Int>()
        private var kept: Int?
        private(set) var attempts = 0

        func value() async throws -> Int {
            if let kept { return kept }
            return try await flight.run { await self.attempt() }
        }

        private func attempt() async -> Int {
            attempts += 1
            await Task.yield()
            kept = attempts
            return attempts
        }
    }

    @Test("an actor that keeps the value makes one attempt, whoever comes when", .timeLimit(.minutes(1)))
    func kept() async throws {
        for _ in 0..<200 {
            let keeper = Keeper()
            let values = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 { group.addTask { try await keeper.value() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(values) == [1])
            #expect(await keeper.attempts == 1)
        }
    }
}
