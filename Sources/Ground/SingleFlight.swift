import Synchronization

/// One attempt for all who want the same while it is under way: they get its value, or its error. Nothing is kept of either:
/// who comes later makes another.
///
/// An attempt runs in a task of its own, so that one caller's cancellation neither ends it nor fails the others.
package final class SingleFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let underWay = Mutex<[Key: Task<Value, any Error>]>([:])

    package init() {}

    /// - Parameters:
    ///   - isolation: of the caller. Nothing else of an actor runs between what it looked at before this call and the look at what
    ///     is under way; so a `body` that keeps its value in the actor is run once for all who did not find that yet.
    ///   - body: not run if there is an attempt for the key.
    package func run(
        _ key: Key, isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = underWay.withLock { underWay in
            if let task = underWay[key] { return task }
            let task = Task {
                defer { self.underWay.withLock { $0[key] = nil } }
                return try await body()
            }
            underWay[key] = task
            return task
        }
        return try await task.value
    }
}

/// The same, where there is only one thing to want.
package struct SingleFlight<Value: Sendable>: Sendable {
    private enum Key { case only }

    private let flights = SingleFlights<Key, Value>()

    package init() {}

    /// - Parameters:
    ///   - isolation: as for ``SingleFlights/run(_:isolation:_:)``.
    ///   - body: not run if there is an attempt.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await flights.run(.only, body)
    }
}
