import Foundation
import Storage

/// Whether the server can serve: its database takes a write. All who ask within a few seconds share one attempt, so
/// that asking costs nothing.
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

    /// - Throws: ``DatabaseError`` if not.
    func check() async throws {
        let now = now()
        // A clock that was put back must not keep an old answer.
        if let last, (0..<Self.interval).contains(now.timeIntervalSince(last.at)) {
            return try await last.attempt.value
        }
        let attempt = Task { [database] in try await database.checkWritable() }
        last = (now, attempt)
        try await attempt.value
    }
}
