import Directory
import Storage

/// Finds out who is signed in to a browser.
struct SessionReader: Sendable {
    let database: any Database
    let surroundings: Surroundings
    let uses: SessionUses

    /// Nil when nobody is, also when the session has expired or the person may not sign in any more.
    func session(of visitor: Visitor) async throws -> BrowserSession? {
        guard let token = visitor.sessionToken else { return nil }
        let now = surroundings.now()
        let session = try await database.read { try BrowserSession.find(token: token, at: now, in: $0) }
        if let session { uses.note(session, at: now) }
        return session
    }

    /// Signs the person out of this browser.
    func end(_ session: BrowserSession, origin: Origin) async throws {
        let now = surroundings.now()
        try await database.write { transaction in
            try session.delete(in: transaction)
            try AuditEntry(
                .signOut, by: .person(session.person.id), on: "person:\(session.person.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: session.person.organizationID, at: now, in: transaction)
        }
    }
}
