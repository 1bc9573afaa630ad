import Foundation
import Storage

extension Credential {
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
