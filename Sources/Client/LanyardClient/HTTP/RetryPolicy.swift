import Foundation

/// How often a read is tried again, and after how long.
///
/// Only reads and refreshes are repeated: both may be asked any number of times. An exchange spends its code.
public struct RetryPolicy: Equatable, Sendable {
    /// The first one included.
    public var attemptsMax = 5
    /// The wait after the first failure; it doubles with each further one.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest wait that a rate limit may ask for. If it asks for more, the call fails at once.
    public var rateLimitDelayMax = Duration.seconds(60)

    public init() {}

    /// Repeats the operation while its failure is one that may pass.
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
    /// The wait that a 429 asks for. `X-Retry-After` is the header of this protocol, `Retry-After` everyone else's.
    var retryAfter: Duration? {
        (headers["x-retry-after"] ?? headers["retry-after"]).flatMap { Int($0) }.map { .seconds(max($0, 0)) }
    }
}
