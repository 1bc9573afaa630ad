import Directory
import Ground
import Storage

/// Finds the session of a browser.
struct SessionReader: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let uses: SessionUses

    /// The session of a browser; nil if nobody is signed in, if the session has expired, or if the person may not sign
    /// in any more.
    func session(of visitor: Visitor) async throws -> BrowserSession? {
        guard let token = visitor.sessionToken else { return nil }
        let now = surroundings.now()
        let session = try await database.read { try BrowserSession.find(token: token, at: now, in: $0) }
        if let session { uses.note(session, at: now) }
        return session
    }

    /// Ends the session of this browser.
    func end(_ visitor: Visitor, origin: Origin) async throws {
        guard let token = visitor.sessionToken else { return }
        let now = surroundings.now()
        try await database.write { try BrowserSession.signOut(token: token, at: now, from: origin, in: $0) }
    }
}
