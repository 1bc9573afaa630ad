import Logging
import ServiceLifecycle

/// What the server's background services have in common.
enum RepeatedWork {
    /// Does the work again and again, with a pause in between, until the server stops. An error is logged and ends
    /// nothing: the database may be away for a moment, and what waits or is over is still there afterwards.
    static func run(
        every pause: Duration, failure: Logger.Message, _ logger: Logger,
        _ work: @escaping @Sendable () async throws -> Void
    ) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await work()
                } catch {
                    logger.error(failure, metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Takes what is due from a queue, a batch at a time and all of a batch at once, until nothing is.
    static func drain<Item: Sendable>(
        _ take: () async throws -> [Item], deliver: @escaping @Sendable (Item) async throws -> Void
    ) async throws {
        while !Task.isCancelled {
            let due = try await take()
            if due.isEmpty { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for item in due { group.addTask { try await deliver(item) } }
                try await group.waitForAll()
            }
        }
    }
}
