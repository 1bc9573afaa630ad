import Foundation
import Ground
import Storage

extension BrowserSession {
    /// A session in the list that its person sees.
    package struct Listed: Equatable, Sendable {
        /// Identifies the session in the person's forms. It is not a secret: alone it gives no access.
        package let handle: String
        /// As the browser sent it, at most 256 characters. It can contain anything.
        package let userAgent: String?
        package let authenticatedAt: Date
        /// ``SessionUses/lastUse(of:at:)`` derives the time of the last use from it.
        package let idleUntil: Date
        let idleMinutes: Int?
        /// The name of the device whose key began the session; nil if a password did.
        package let deviceName: String?
    }

    package var handle: String { tokenHash.prefix }

    /// The maximum number of sessions shown.
    package static let listedMax = 50

    /// The sessions of a person that have not ended, latest first.
    package static func list(of person: PersonID, at now: Date, in transaction: some Transaction) throws -> [Listed] {
        try transaction.all(
            """
            SELECT session.token_hash, session.user_agent, session.authenticated_at, session.idle_until, session.idle_minutes,
                   device.name
            FROM browser_session AS session
            LEFT JOIN registered_device AS device ON device.id = session.device_id
            WHERE session.person_id = $1 AND session.expires_at > $2 AND session.idle_until > $2
            ORDER BY session.authenticated_at DESC, session.token_hash
            LIMIT $3
            """,
            [person, now, listedMax]
        ) { row in
            Listed(
                handle: (try row["token_hash"] as SecretHash).prefix, userAgent: try row["user_agent"],
                authenticatedAt: try row["authenticated_at"], idleUntil: try row["idle_until"],
                idleMinutes: try row["idle_minutes"], deviceName: try row["name"])
        }
    }

    /// How many browsers the person is signed in to.
    package static func count(of person: PersonID, at now: Date, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM browser_session WHERE person_id = $1 AND expires_at > $2 AND idle_until > $2",
            [person, now]
        ) { try $0[0] } ?? 0
    }

    /// Ends the sessions of the person with these handles.
    /// - Returns: how many sessions were ended.
    package static func end(_ handles: [String], of person: PersonID, in transaction: WriteTransaction) throws -> Int {
        let hashes = try transaction.all(
            "SELECT token_hash FROM browser_session WHERE person_id = $1", [person]
        ) { try $0[0] as SecretHash }
        return try hashes.filter { handles.contains($0.prefix) }
            .map { try transaction.execute("DELETE FROM browser_session WHERE token_hash = $1", [$0]) }.reduce(0, +)
    }

    /// Ends the oldest sessions of a kind, so that no more than a number of them are open.
    /// - Parameters:
    ///   - condition: which sessions are of the kind, in SQL; its parameters begin with `$3`.
    ///   - newest: the token of one that stays in any case.
    static func endOldest(
        where condition: String, _ parameters: [any SQLConvertible], but newest: Secret, keeping max: Int,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM browser_session
            WHERE \(condition) AND token_hash NOT IN (
                SELECT token_hash FROM browser_session WHERE \(condition)
                ORDER BY (token_hash = $1) DESC, authenticated_at DESC LIMIT $2
            )
            """, [newest.hash, max] + parameters)
    }

    /// Ends all sessions of the person but this one.
    /// - Returns: how many sessions were ended.
    package func endOthers(in transaction: WriteTransaction) throws -> Int {
        try transaction.execute(
            "DELETE FROM browser_session WHERE person_id = $1 AND token_hash <> $2", [person.id, tokenHash])
    }
}
