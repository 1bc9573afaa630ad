import Foundation
import Storage

/// A person's password as stored.
package struct Credential: Sendable {
    package let passwordHash: String
    /// When a temporary password expires; nil if the person chose the password.
    package let temporaryUntil: Date?
    /// Number of wrong passwords since the last right one, from browsers that the account does not know.
    package let failures: Int
    /// Until when such browsers have to wait. May be in the past.
    package let pausedUntil: Date?
}

extension Credential {
    package static func find(for person: PersonID, in transaction: some Transaction) throws -> Credential? {
        try transaction.first(
            "SELECT password_hash, temporary_until, failures, paused_until FROM credential WHERE person_id = $1",
            [person]
        ) { row in
            Credential(
                passwordHash: try row["password_hash"], temporaryUntil: try row["temporary_until"],
                failures: try row["failures"], pausedUntil: try row["paused_until"])
        }
    }

    /// Sets the password and unlocks the account. Everything that the person is signed in to ends, all known browsers
    /// are forgotten, and a code that would register a device becomes void. Registered devices stay, because the
    /// password reveals nothing about their keys.
    package static func put(
        _ passwordHash: String, temporaryUntil: Date?, for person: PersonID, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO credential (person_id, password_hash, temporary_until, changed_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (person_id) DO UPDATE SET
                password_hash = EXCLUDED.password_hash,
                temporary_until = EXCLUDED.temporary_until,
                changed_at = EXCLUDED.changed_at,
                failures = 0,
                failed_at = NULL,
                paused_until = NULL
            """,
            [person, passwordHash, temporaryUntil, now])
        try transaction.execute(
            "UPDATE person SET state = 'active' WHERE id = $1 AND state = 'locked'", [person])
        try Person.endSignIns(of: "$1", [person], in: transaction)
    }

    /// Replaces a hash by a stronger one of the same password, unless the password has changed meanwhile.
    static func strengthen(
        _ former: String, to passwordHash: String, of person: PersonID, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            "UPDATE credential SET password_hash = $3 WHERE person_id = $1 AND password_hash = $2",
            [person, former, passwordHash])
    }

    /// Whether the account may still sign in with that password: it may have been deactivated, or the password
    /// replaced, while the hash was computed.
    static func isAdmitted(_ person: PersonID, with passwordHash: String, in transaction: some Transaction) throws
        -> Bool
    {
        try transaction.exists(
            """
            SELECT 1 FROM person
            JOIN credential ON credential.person_id = person.id
            WHERE person.id = $1 AND person.state <> 'deactivated' AND credential.password_hash = $2
            """,
            [person, passwordHash])
    }
}
