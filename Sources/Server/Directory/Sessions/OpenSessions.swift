import Foundation
import Ground
import Storage

/// Lists where a person is signed in, and lets them end those sessions.
package struct OpenSessions: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// Ends other sessions of the person who is signed in.
    /// - Returns: how many were ended; 0 if no handle matches, or the caller's own session has ended.
    @discardableResult
    package func end(_ handles: [String], in session: BrowserSession, origin: Origin) async throws -> Int {
        try await change(session, origin) { try BrowserSession.end(handles, of: session.person.id, in: $0) }
    }

    /// Ends all sessions but the caller's own.
    /// - Returns: how many were ended.
    @discardableResult
    package func endOthers(in session: BrowserSession, origin: Origin) async throws -> Int {
        try await change(session, origin) { try session.endOthers(in: $0) }
    }

    private func change(
        _ session: BrowserSession, _ origin: Origin, _ end: @escaping @Sendable (WriteTransaction) throws -> Int
    ) async throws -> Int {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person else { return 0 }
            let count = try end(transaction)
            guard count > 0 else { return 0 }
            try AuditEntry(
                .signOut, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                detail: "\(count) other browser\(count == 1 ? "" : "s")", from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            return count
        }
    }
}
