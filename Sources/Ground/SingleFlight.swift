import Synchronization

/// Joins concurrent calls for the same key: while one is in progress, further callers wait for it and get its value or
/// error. Results are not kept: a later call runs its body again.
///
/// The body runs in a task of its own, so that the cancellation of one caller neither cancels it nor fails the others.
package final class SingleFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let underWay = Mutex<[Key: Task<Value, any Error>]>([:])

    package init() {}

    /// - Parameters:
    ///   - isolation: the actor of the caller. No other code of that actor runs between a check before this call and
    ///     the check for a call in progress. So a `body` that caches its value in the actor runs only once for all
    ///     callers that found no cached value.
    ///   - body: not run if a call for the key is in progress.
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

/// ``SingleFlights`` without keys, where there is only one value to get.
package struct SingleFlight<Value: Sendable>: Sendable {
    private enum Key { case only }

    private let flights = SingleFlights<Key, Value>()

    package init() {}

    /// - Parameters:
    ///   - isolation: as for ``SingleFlights/run(_:isolation:_:)``.
    ///   - body: not run if a call is in progress.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await flights.run(.only, body)
    }
}
