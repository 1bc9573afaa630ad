import Foundation
import Storage

/// A person's password, as it is stored.
package struct Credential: Sendable {
    package let passwordHash: String
    /// Until when a temporary password is good; nil if the person chose it.
    package let temporaryUntil: Date?
    package let failures: Int

    /// So many wrong passwords in a row are forgiven; the next one locks the account.
    package static let failuresMax = 10

    /// How long a temporary password is good.
    package static let temporaryLifetime: TimeInterval = 90 * 86_400
}

extension Credential {
    package static func find(for person: PersonID, in transaction: some Transaction) throws -> Credential? {
        try transaction.first(
            "SELECT password_hash, temporary_until, failures FROM credential WHERE person_id = $1", [person]
        ) { row in
            Credential(passwordHash: try row[0], temporaryUntil: try row[1], failures: try row[2])
        }
    }

    /// When the password was set last.
    package static func changedAt(of person: PersonID, in transaction: some Transaction) throws -> Date? {
        try transaction.first("SELECT changed_at FROM credential WHERE person_id = $1", [person]) { try $0[0] }
    }

    /// Sets the password and unlocks the account; every browser session of the person ends.
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
                failures = 0
            """,
            [person, passwordHash, temporaryUntil, now])
        try transaction.execute(
            "UPDATE person SET state = 'active' WHERE id = $1 AND state = 'locked'", [person])
        try transaction.execute("DELETE FROM browser_session WHERE person_id = $1", [person])
    }

    /// Counts a wrong password; one too many locks the account.
    /// - Returns: whether this one locked it.
    static func recordFailure(of person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("UPDATE credential SET failures = failures + 1 WHERE person_id = $1", [person])
        return try transaction.execute(
            """
            UPDATE person SET state = 'locked'
            WHERE id = $1 AND state IN ('new', 'active')
              AND EXISTS (SELECT 1 FROM credential WHERE person_id = $1 AND failures > $2)
            """,
            [person, failuresMax]) > 0
    }

    /// Whether the account may sign in with that password now: while it was hashed the account may have been
    /// locked, or the password replaced.
    static func isAdmitted(_ person: PersonID, with passwordHash: String, in transaction: some Transaction) throws
        -> Bool
    {
        try transaction.exists(
            """
            SELECT 1 FROM person
            JOIN credential ON credential.person_id = person.id
            WHERE person.id = $1 AND person.state IN ('new', 'active') AND credential.password_hash = $2
            """,
            [person, passwordHash])
    }

    /// Writes what is there already, so that a refusal that leaves no trace takes as long as one that does.
    static func rewrite(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE credential SET failures = failures WHERE person_id = $1", [person])
    }

    /// Notes a right password.
    static func recordSuccess(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET state = 'active' WHERE id = $1 AND state = 'new'", [person])
        try transaction.execute("UPDATE credential SET failures = 0 WHERE person_id = $1 AND failures > 0", [person])
    }
}
