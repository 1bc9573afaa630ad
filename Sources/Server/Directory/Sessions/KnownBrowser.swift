import Foundation
import Ground
import Storage

/// A browser in which a person has signed in before. Its cookie is a secret, one for all accounts that the browser
/// knows; the database has the hash.
///
/// It gives no access: the password is still required. It only distinguishes the person from strangers, so that their
/// guesses at the account, or from the same address, do not make the person wait.
package enum KnownBrowser {
    /// How long after the last sign-in a browser is known.
    package static let lifetime: TimeInterval = 180 * 86_400
    /// After this many wrong passwords the browser is unknown again, so that a stolen cookie gives only this many
    /// guesses.
    static let failuresMax = 5
    /// The maximum number of accounts of one browser, for example in a classroom. Beyond it the one used longest ago is
    /// dropped.
    package static let accountsMax = 40
    /// The maximum number of browsers of one account. Beyond it the one used longest ago is dropped.
    package static let browsersMax = 50

    package static func isKnown(
        _ browser: String?, to person: PersonID, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        guard let browser else { return false }
        return try transaction.exists(
            "SELECT 1 FROM known_browser WHERE browser_hash = $1 AND person_id = $2 AND used_at > $3",
            [SecretHash(of: browser), person, now.addingTimeInterval(-lifetime)])
    }

    /// Counts a wrong password in a browser. After too many the account no longer knows it.
    /// - Returns: false if it was not known.
    static func recordFailure(
        in browser: String, of person: PersonID, in transaction: WriteTransaction
    ) throws -> Bool {
        let failures = try transaction.first(
            """
            UPDATE known_browser SET failures = failures + 1
            WHERE browser_hash = $1 AND person_id = $2
            RETURNING failures
            """,
            [SecretHash(of: browser), person]
        ) { try $0[0] as Int }
        guard let failures else { return false }
        if failures >= failuresMax {
            try transaction.execute(
                "DELETE FROM known_browser WHERE browser_hash = $1 AND person_id = $2",
                [SecretHash(of: browser), person])
        }
        return true
    }

    /// Records that the person has signed in. The browser gets a new secret for all its accounts, so that a stolen or
    /// planted one becomes worthless.
    /// - Parameter old: the secret that the browser had.
    package static func remember(
        _ person: PersonID, replacing old: String?, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Secret {
        let secret = Secret(from: surroundings)
        if let old {
            try transaction.execute(
                "UPDATE known_browser SET browser_hash = $2 WHERE browser_hash = $1",
                [SecretHash(of: old), secret.hash])
        }
        try transaction.execute(
            """
            INSERT INTO known_browser (browser_hash, person_id, used_at) VALUES ($1, $2, $3)
            ON CONFLICT (browser_hash, person_id) DO UPDATE SET failures = 0, used_at = EXCLUDED.used_at
            """,
            [secret.hash, person, now])
        try transaction.execute(
            """
            DELETE FROM known_browser
            WHERE browser_hash = $1 AND person_id NOT IN (
                SELECT person_id FROM known_browser WHERE browser_hash = $1
                ORDER BY (person_id = $2) DESC, used_at DESC LIMIT $3
            )
            """,
            [secret.hash, person, accountsMax])
        try transaction.execute(
            """
            DELETE FROM known_browser
            WHERE person_id = $2 AND browser_hash NOT IN (
                SELECT browser_hash FROM known_browser WHERE person_id = $2
                ORDER BY (browser_hash = $1) DESC, used_at DESC LIMIT $3
            )
            """,
            [secret.hash, person, browsersMax])
        return secret
    }

    /// How many browsers the person's account knows, without those that ``deleteExpired(at:in:)`` is about to delete.
    package static func count(of person: PersonID, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM known_browser WHERE person_id = $1", [person]) { try $0[0] } ?? 0
    }

    /// Forgets all known browsers of the person.
    package static func forget(all person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM known_browser WHERE person_id = $1", [person])
    }

    package static func hasExpired(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM known_browser WHERE used_at <= $1", [now.addingTimeInterval(-lifetime)])
    }

    package static func deleteExpired(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM known_browser WHERE used_at <= $1", [now.addingTimeInterval(-lifetime)])
    }
}
