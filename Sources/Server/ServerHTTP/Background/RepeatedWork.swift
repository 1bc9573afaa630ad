import Logging
import ServiceLifecycle

/// The loops of the server's background services.
enum RepeatedWork {
    /// Repeats the work with a pause in between, until the server stops. An error is logged and does not end the loop:
    /// the database may be away for a moment, and the work is still there afterwards.
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

    /// Takes due items from a queue until there are none, and handles those of a batch concurrently.
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
