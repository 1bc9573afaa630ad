import Foundation

/// How often a failed read is repeated, and after which delays.
///
/// Only reads and refreshes are repeated, because they are idempotent. An exchange uses its code up.
public struct RetryPolicy: Equatable, Sendable {
    /// The maximum number of attempts, including the first one.
    public var attemptsMax = 5
    /// The delay after the first failure. It doubles with each further one.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest delay that a rate limit may demand. If it demands more, the call fails at once.
    public var rateLimitDelayMax = Duration.seconds(60)

    public init() {}

    /// Repeats the operation while its failure may be temporary.
    func run<Value>(
        sleep: (Duration) async throws -> Void,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await operation()
            } catch let error as LanyardClientError {
                failures += 1
                guard failures < attemptsMax, let delay = delay(after: error, failures: failures) else { throw error }
                try await sleep(delay)
            }
        }
    }

    /// Nil if another attempt would not help.
    private func delay(after error: LanyardClientError, failures: Int) -> Duration? {
        let backoff = firstDelay * (1 << (failures - 1))
        switch error {
        case .rateLimited(let retryAfter, _):
            let delay = retryAfter ?? backoff
            return delay <= rateLimitDelayMax ? delay : nil
        case .roster(let status, _, _, _), .unexpectedAnswer(let status, _, _):
            return status >= 500 ? backoff : nil
        case .transport:
            return backoff
        case .oauth, .wrongState, .malformedAnswer, .invalidToken, .invalidPrivateKey:
            return nil
        }
    }
}

extension WireResponse {
    /// The delay that a 429 demands. `X-Retry-After` is the header of this protocol, `Retry-After` everyone else's.
    var retryAfter: Duration? {
        (headers["x-retry-after"] ?? headers["retry-after"]).flatMap { Int($0) }.map { .seconds(max($0, 0)) }
    }
}
