import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A client that a person has signed in to in a browser session. When the session ends, the client is told. OpenID
/// Connect Back-Channel Logout.
package struct ClientSession: Sendable {
    /// ``BrowserSession/firstHash``
    let sessionHash: SecretHash
    let clientID: String
    let personID: PersonID

    private static let columns = "session_hash, client_id, person_id"

    private init(_ row: Row) throws {
        sessionHash = try row["session_hash"]
        clientID = try row["client_id"]
        personID = try row["person_id"]
    }

    var sid: String { Self.sid(of: sessionHash, for: clientID) }

    /// `sid`, 22 characters: the same in all tokens that the client gets from the session, but different for each
    /// client, so that clients cannot compare it to recognize the person.
    static func sid(of session: SecretHash, for clientID: String) -> String {
        var hash = SHA256()
        hash.update(data: session.bytes)
        hash.update(data: Data(clientID.utf8))
        return Data(hash.finalize().prefix(16)).base64URLEncoded
    }
}

extension ClientSession {
    /// A client's own session may outlive the one here, which ends after twelve hours, so sessions are remembered for
    /// longer. Afterwards a client is told only which person has signed out, and not which session.
    private static let memory: TimeInterval = 30 * 86_400

    static func note(
        _ session: SecretHash, of person: PersonID, at clientID: String, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO client_session (session_hash, client_id, person_id, used_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (session_hash, client_id) DO UPDATE SET used_at = EXCLUDED.used_at
            """,
            [session, clientID, person, now])
    }

    /// Removes the sessions of a person at a client, and returns them.
    static func take(
        of person: PersonID, at clientID: String, in transaction: WriteTransaction
    ) throws -> [ClientSession] {
        try transaction.all(
            "DELETE FROM client_session WHERE client_id = $1 AND person_id = $2 RETURNING \(columns)",
            [clientID, person], ClientSession.init)
    }

    static func hasEnded(in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM ended_session")
    }

    /// Removes the client sessions of browser sessions that have ended early, however long ago, and returns them.
    /// - Parameter limit: the maximum number of browser sessions.
    static func takeEnded(limit: Int, in transaction: WriteTransaction) throws -> [ClientSession] {
        let ended = try transaction.all(
            """
            DELETE FROM ended_session
            WHERE session_hash IN (SELECT session_hash FROM ended_session LIMIT $1)
            RETURNING session_hash
            """, [limit]
        ) { try $0[0] as SecretHash }
        return try ended.flatMap { session -> [ClientSession] in
            // After a new sign-in in the same browser the session continues.
            guard try !BrowserSession.isLiving(firstHash: session, in: transaction) else { return [] }
            return try transaction.all(
                "DELETE FROM client_session WHERE session_hash = $1 RETURNING \(columns)", [session],
                ClientSession.init)
        }
    }

    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM client_session WHERE used_at <= $1", [now.addingTimeInterval(-memory)])
    }

    package static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM client_session WHERE used_at <= $1", [now.addingTimeInterval(-memory)])
    }
}
