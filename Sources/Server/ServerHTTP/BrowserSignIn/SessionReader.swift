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

    /// Ends the session of this browser. A session that has expired unused is ended too, because the apps in which
    /// people signed in with it have not been told yet.
    func end(_ visitor: Visitor, origin: Origin) async throws {
        guard let token = visitor.sessionToken else { return }
        let now = surroundings.now()
        try await database.write { transaction in
            guard let person = try BrowserSession.end(token: token, at: now, in: transaction) else { return }
            try AuditEntry(
                .signOut, by: .person(person), on: "person:\(person.rawValue)", outcome: .done, from: origin
            ).append(to: try Person.find(person, in: transaction)?.organizationID, at: now, in: transaction)
        }
    }
}
