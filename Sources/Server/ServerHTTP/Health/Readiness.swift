import Foundation
import Storage

/// Finds out whether the server can serve, because its database accepts a write. All requests within a few seconds
/// share one attempt, so that asking costs nothing.
actor Readiness {
    /// Seconds for which an attempt counts.
    static let interval: TimeInterval = 5

    private let database: any Database
    private let now: @Sendable () -> Date
    private var last: (at: Date, attempt: Task<Void, any Error>)?

    init(database: any Database, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.now = now
    }

    /// - Throws: ``DatabaseError`` if the server cannot serve.
    func check() async throws {
        let now = now()
        // If the clock was set back, an old result must not be kept.
        if let last, (0..<Self.interval).contains(now.timeIntervalSince(last.at)) {
            return try await last.attempt.value
        }
        let attempt = Task { [database] in try await database.checkWritable() }
        last = (now, attempt)
        try await attempt.value
    }
}
