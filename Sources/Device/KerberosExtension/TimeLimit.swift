import Synchronization

/// Waits for `body` no longer than a limit. It goes on in any case, because a call into the library cannot be ended.
/// - Returns: nil if the time is over.
func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value?, any Error>) in
        let first = First(continuation)
        let limit = Task {
            try? await Task.sleep(for: limit)
            first.resume(with: .success(nil))
        }
        Task {
            do { first.resume(with: .success(try await body())) } catch { first.resume(with: .failure(error)) }
            // A timer that has nothing to end any more would wake the process up.
            limit.cancel()
        }
    }
}

private final class First<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, any Error>?>

    init(_ continuation: CheckedContinuation<Value?, any Error>) { self.continuation = Mutex(continuation) }

    func resume(with result: sending Result<Value?, any Error>) {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }?.resume(with: result)
    }
}
