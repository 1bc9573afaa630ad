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

    /// How long a temporary password is valid, in seconds.
    package static let temporaryLifetime: TimeInterval = 90 * 86_400
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

    /// Counts a wrong password from a browser that the account does not know. The next attempt may have to wait, and
    /// too many lock the account.
    static func recordFailure(
        of person: PersonID, at now: Date, in transaction: WriteTransaction
    ) throws -> CountedFailure {
        let failures = try transaction.first(
            """
            UPDATE credential SET
                failures = CASE WHEN failed_at > $2 THEN failures + 1 ELSE 1 END,
                failed_at = $3
            WHERE person_id = $1
            RETURNING failures
            """,
            [person, now.addingTimeInterval(-AttemptPause.memory), now]
        ) { try $0[0] as Int }
        let counted = CountedFailure(failures: failures ?? 1, at: now)
        try transaction.execute(
            "UPDATE credential SET paused_until = $2 WHERE person_id = $1", [person, counted.pausedUntil])
        if counted.isLock {
            try transaction.execute(
                "UPDATE person SET state = 'locked' WHERE id = $1 AND state IN ('new', 'active')", [person])
        }
        return counted
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

    /// Records a right password from a browser that the account does not know. The count of wrong ones is reset.
    static func recordSuccess(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE person SET state = 'active' WHERE id = $1 AND state IN ('new', 'locked')", [person])
        try endPause(of: person, in: transaction)
    }

    private static func endPause(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE credential SET failures = 0, failed_at = NULL, paused_until = NULL
            WHERE person_id = $1 AND (failures > 0 OR paused_until IS NOT NULL)
            """,
            [person])
    }
}

// MARK: The end of a pause

extension Credential {
    /// Ends the pause or lock of an account at once, and resets the count of wrong passwords.
    /// - Returns: false if there was nothing to forget.
    @discardableResult
    package static func unlock(_ person: Person, in transaction: WriteTransaction) throws -> Bool {
        let isLocked = try Person.find(person.id, in: transaction)?.state == .locked
        guard try isLocked || (find(for: person.id, in: transaction)?.failures ?? 0) > 0 else { return false }
        try endPause(of: person.id, in: transaction)
        try transaction.execute(
            "UPDATE person SET state = \(Person.stateByPassword) WHERE id = $1 AND state = 'locked'", [person.id])
        return true
    }

    /// Whether there is a pause that is over and that ``endPauses(at:in:)`` has to clear.
    package static func hasEndedPauses(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM credential WHERE \(AttemptPause.isOver)", AttemptPause.ends(at: now))
    }

    /// Makes locked accounts active again when their lock is over. Sign-ins do not depend on it, since they look at the
    /// time. There is no audit entry, because the entry of the lock has its end already.
    package static func endPauses(at now: Date, in transaction: WriteTransaction) throws {
        let people = try transaction.all(
            "UPDATE credential SET paused_until = NULL WHERE \(AttemptPause.isOver) RETURNING person_id",
            AttemptPause.ends(at: now)
        ) { try $0[0] as PersonID }
        for person in people {
            try transaction.execute(
                "UPDATE person SET state = \(Person.stateByPassword) WHERE id = $1 AND state = 'locked'", [person])
        }
    }
}
