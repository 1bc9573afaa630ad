import Foundation
import Ground
import Storage
import Synchronization

/// Records which browser sessions are used, so that they do not end: in memory, and every minute in the database. So no
/// page waits for a write.
package final class SessionUses: Sendable {
    /// Seconds without a use after which a session is over, unless an organization wants it to be over earlier.
    package let idle: TimeInterval
    private let noted = Mutex<[SecretHash: Date]>([:])

    package init(idle: TimeInterval = BrowserSession.idle) { self.idle = idle }

    package func note(_ session: BrowserSession, at now: Date) {
        let idle = BrowserSession.idle(within: session.idleMinutes, atMost: idle)
        let until = now.addingTimeInterval(idle)
        // Uses within a short time of the recorded one are not recorded again.
        guard abs(until.timeIntervalSince(session.idleUntil)) >= min(300, idle / 4) else { return }
        noted.withLock { $0[session.tokenHash] = until }
    }

    /// When a session was last used, within a few minutes. Nil if no page was opened since the sign-in. After the
    /// operator has changed ``idle``, the time can be wrong by the difference until that much time has passed.
    package func lastUse(of session: BrowserSession.Listed, at now: Date) -> Date? {
        // The value that the sign-in wrote, which does not depend on ``idle``.
        let first = BrowserSession.idle(within: session.idleMinutes)
        guard session.idleUntil != session.authenticatedAt.addingTimeInterval(first) else { return nil }
        let use = session.idleUntil.addingTimeInterval(-BrowserSession.idle(within: session.idleMinutes, atMost: idle))
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
