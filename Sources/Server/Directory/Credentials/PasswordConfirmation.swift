import Foundation
import Ground
import Storage

/// Asks a signed-in person for the current password, before actions that somebody with a borrowed browser must not
/// take.
///
/// Wrong passwords are counted by session: a person at somebody else's browser has a few guesses, and the owner can
/// still sign in elsewhere.
package struct PasswordConfirmation: Sendable {
    private let database: any Database
    private let hasher: PasswordHasher
    private let surroundings: Surroundings

    package init(database: any Database, hasher: PasswordHasher, surroundings: Surroundings) {
        self.database = database
        self.hasher = hasher
        self.surroundings = surroundings
    }

    package enum Outcome: Equatable, Sendable {
        case confirmed
        case wrong
        /// Too many wrong passwords; this one was not checked. `minutes` is 1 or more.
        case mustWait(minutes: Int)
        case sessionEnded
    }

    /// Wrong passwords allowed in an hour.
    package static let attemptsMax = 5
    fileprivate static let window: TimeInterval = 3_600

    /// - Throws: ``PasswordHasher/Overloaded`` when too many wait already.
    package func confirm(_ password: String, in session: BrowserSession) async throws -> Outcome {
        let now = surroundings.now()
        // Count the attempt before checking it, so that many at once are counted too.
        let (isAdmitted, wait, hash) = try await database.write { transaction in
            (
                try session.takePasswordAttempt(at: now, in: transaction),
                try session.minutesToWait(at: now, in: transaction),
                try Credential.find(for: session.person.id, in: transaction)?.passwordHash
            )
        }
        guard isAdmitted else { return wait.map(Outcome.mustWait(minutes:)) ?? .sessionEnded }
        let isRight: Bool
        do {
            isRight = try await hasher.verify(password, against: hash, for: .browser(session.tokenHash))
        } catch {
            try await database.write { try session.giveBackPasswordAttempt(in: $0) }
            throw error
        }
        guard isRight else { return .wrong }
        try await database.write { try session.confirm(by: .password, at: now, in: $0) }
        return .confirmed
    }
}

extension BrowserSession {
    /// - Returns: false if there were too many, or the session has ended.
    func takePasswordAttempt(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        // A time in the future was written by a clock that was wrong, and does not count.
        let isRecent = "wrong_since > $2 AND wrong_since <= $3"
        return try transaction.execute(
            """
            UPDATE browser_session SET
                wrong_passwords = CASE WHEN \(isRecent) THEN wrong_passwords + 1 ELSE 1 END,
                wrong_since = CASE WHEN \(isRecent) THEN wrong_since ELSE $3 END
            WHERE token_hash = $1 AND expires_at > $3
              AND (wrong_passwords < $4 OR wrong_since IS NULL OR NOT (\(isRecent)))
            """,
            [
                tokenHash, now.addingTimeInterval(-PasswordConfirmation.window), now,
                PasswordConfirmation.attemptsMax,
            ]) > 0
    }

    /// How many minutes the person has to wait after too many wrong passwords, 1 or more. Nil if the session has ended.
    func minutesToWait(at now: Date, in transaction: some Transaction) throws -> Int? {
        let wrongSince = try transaction.first(
            "SELECT wrong_since FROM browser_session WHERE token_hash = $1", [tokenHash]
        ) { try $0[0] as Date? }
        guard let wrongSince = wrongSince ?? nil else { return nil }
        let seconds = wrongSince.addingTimeInterval(PasswordConfirmation.window).timeIntervalSince(now)
        return max(1, Int((seconds / 60).rounded(.up)))
    }

    /// Gives back the attempt of a password or code that was not looked at, or was right.
    func giveBackPasswordAttempt(in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE browser_session SET wrong_passwords = wrong_passwords - 1
            WHERE token_hash = $1 AND wrong_passwords > 0
            """,
            [tokenHash])
    }
}
