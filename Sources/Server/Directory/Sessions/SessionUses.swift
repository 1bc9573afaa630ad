import Foundation
import Ground
import Storage
import Synchronization

/// Notes which browser sessions are used, so that they go on: in memory, and every minute in the database. A page is not
/// to wait for a write, and not every page is worth one.
package final class SessionUses: Sendable {
    /// Seconds without a use after which a session is over.
    package let idle: TimeInterval
    private let noted = Mutex<[SecretHash: Date]>([:])

    package init(idle: TimeInterval = BrowserSession.idle) { self.idle = idle }

    /// A use that would make little difference is none.
    private var step: TimeInterval { min(300, idle / 4) }

    package func note(_ session: BrowserSession, at now: Date) {
        let until = now.addingTimeInterval(idle)
        guard abs(until.timeIntervalSince(session.idleUntil)) >= step else { return }
        noted.withLock { $0[session.tokenHash] = until }
    }

    /// When a session was used last, some minutes more or less. Nil where that is not known: nobody has opened a page since
    /// the sign-in. For as long as ``idle`` after the operator has changed it, the time can be wrong by the difference.
    package func lastUse(of session: BrowserSession.Listed, at now: Date) -> Date? {
        // As the sign-in wrote it, whatever ``idle`` is.
        guard session.idleUntil != session.authenticatedAt.addingTimeInterval(BrowserSession.idle) else { return nil }
        let use = session.idleUntil.addingTimeInterval(-idle)
        return session.authenticatedAt <= use && use <= now ? use : nil
    }

    /// Writes down what was noted since the last time.
    package func flush(into database: any Database) async throws {
        let uses = noted.withLock { noted in
            defer { noted = [:] }
            return noted
        }
        guard !uses.isEmpty else { return }
        try await database.write { transaction in
            for (session, until) in uses {
                try transaction.execute(
                    "UPDATE browser_session SET idle_until = $2 WHERE token_hash = $1", [session, until])
            }
        }
    }
}
