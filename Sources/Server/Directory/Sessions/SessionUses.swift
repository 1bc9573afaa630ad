import Foundation
import Ground
import Storage
import Synchronization

/// Records which browser sessions are used, so that they do not end: in memory, and every minute in the database. So no
/// page waits for a write.
package final class SessionUses: Sendable {
    /// Seconds without a use after which a session is over.
    package let idle: TimeInterval
    private let noted = Mutex<[SecretHash: Date]>([:])

    package init(idle: TimeInterval = BrowserSession.idle) { self.idle = idle }

    /// Uses within this many seconds of the recorded one are not recorded again.
    private var step: TimeInterval { min(300, idle / 4) }

    package func note(_ session: BrowserSession, at now: Date) {
        let until = now.addingTimeInterval(idle)
        guard abs(until.timeIntervalSince(session.idleUntil)) >= step else { return }
        noted.withLock { $0[session.tokenHash] = until }
    }

    /// When a session was last used, within a few minutes. Nil if no page was opened since the sign-in. After the
    /// operator has changed ``idle``, the time can be wrong by the difference until that much time has passed.
    package func lastUse(of session: BrowserSession.Listed, at now: Date) -> Date? {
        // The value that the sign-in wrote, which does not depend on ``idle``.
        guard session.idleUntil != session.authenticatedAt.addingTimeInterval(BrowserSession.idle) else { return nil }
        let use = session.idleUntil.addingTimeInterval(-idle)
        return session.authenticatedAt <= use && use <= now ? use : nil
    }

    /// Writes the uses since the last flush to the database.
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
