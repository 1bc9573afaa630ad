import Directory
import Foundation
import Ground
import Storage

/// A code of six digits that was sent to an email address, and has to be entered in the browser that asked for it.
///
/// A challenge is made for every accepted request, even if no code is sent, so that it does not tell whether the
/// address has an account. The code is stored as an Argon2id hash, because six digits can be guessed from a fast hash.
package struct EmailChallenge: Sendable {
    package enum Purpose: String, Sendable, SQLConvertible {
        case signUp = "sign_up"
        case resetPassword = "reset_password"
        case changeEmail = "change_email"
    }

    /// The details of a new account, as typed and checked.
    struct Applicant: Sendable {
        let givenName: String
        let familyName: String
        let passwordHash: String
    }

    let tokenHash: SecretHash
    package let purpose: Purpose
    /// Where the code went.
    package let email: String
    /// The person who forgot the password, or who changes the address. Nil for a new account, and if no code was sent.
    let personID: PersonID?
    /// The person's sign-in version when the code was made.
    let version: SignInVersion?
    /// Nil unless the challenge is for a new account, and a code was sent.
    let applicant: Applicant?
    let codeHash: String
    /// How many codes were entered.
    let attempts: Int
    /// A path on this server, to which the person goes on afterwards.
    package let target: String
    package let expiresAt: Date
    package let verifiedAt: Date?

    package static let lifetime: TimeInterval = 900
    /// How many codes may be entered; after that, a new code has to be sent.
    package static let attemptsMax = 5

    private static let columns = """
        purpose, email, person_id, given_name, family_name, password_hash, code_hash, attempts, target, sign_in_version,
        expires_at, verified_at
        """

    private init(_ tokenHash: SecretHash, _ row: Row) throws {
        self.tokenHash = tokenHash
        purpose = try row["purpose"]
        email = try row["email"]
        personID = try row["person_id"]
        let (givenName, familyName, passwordHash): (String?, String?, String?) = (
            try row["given_name"], try row["family_name"], try row["password_hash"]
        )
        if let givenName, let familyName, let passwordHash {
            applicant = Applicant(givenName: givenName, familyName: familyName, passwordHash: passwordHash)
        } else {
            applicant = nil
        }
        codeHash = try row["code_hash"]
        attempts = try row["attempts"]
        target = try row["target"]
        version = try row["sign_in_version"]
        expiresAt = try row["expires_at"]
        verifiedAt = try row["verified_at"]
    }

    /// Whether a code can still be entered.
    package func isOpen(at now: Date) -> Bool {
        verifiedAt == nil && expiresAt > now && attempts < Self.attemptsMax
    }

    /// A code from 000000 to 999999, uniformly distributed.
    static func makeCode(from surroundings: Surroundings) -> String {
        while true {
            let number = surroundings.randomBytes(3).reduce(0) { $0 << 8 | Int($1) }
            // Numbers from the last, incomplete million would make small codes more likely.
            guard number < 16_000_000 else { continue }
            let digits = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - digits.count) + digits
        }
    }
}

extension EmailChallenge {
    /// - Returns: the token for the address of the page.
    static func insert(
        _ purpose: Purpose, email: String, person: PersonID?, applicant: Applicant?, codeHash: String, target: String,
        browser: String, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Secret {
        let token = Secret(from: surroundings)
        try deleteOld(at: now, in: transaction)
        try transaction.execute(
            """
            INSERT INTO email_challenge
                (token_hash, browser_hash, purpose, email, person_id, given_name, family_name, password_hash, code_hash,
                 target, created_at, expires_at, sign_in_version)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \(SignInVersion.sql(of: "$5")))
            """,
            [
                token.hash, SecretHash(of: browser), purpose, email, person, applicant?.givenName,
                applicant?.familyName, applicant?.passwordHash, codeHash, target, now, now.addingTimeInterval(lifetime),
            ])
        return token
    }

    static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM email_challenge WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
    }

    /// Deletes challenges some time after they have expired; until then, a new code can be sent for them.
    static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM email_challenge WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
    }

    /// How many seconds after its expiry a challenge can be renewed.
    static let memory: TimeInterval = 3_600

    /// Also finds a challenge that has expired, or for which too many codes were entered. Nil if it is unknown,
    /// completed, deleted, or belongs to another browser.
    package static func find(
        token: String, browser: String, at now: Date, in transaction: some Transaction
    ) throws -> EmailChallenge? {
        let hash = SecretHash(of: token)
        return try transaction.first(
            "SELECT \(columns) FROM email_challenge WHERE token_hash = $1 AND browser_hash = $2 AND expires_at > $3",
            [hash, SecretHash(of: browser), now.addingTimeInterval(-memory)]
        ) { try EmailChallenge(hash, $0) }
    }

    /// Counts an attempt before the code is checked, so that simultaneous attempts are counted too.
    /// - Returns: nil if there were too many attempts, or the challenge has expired.
    func takeAttempt(at now: Date, in transaction: WriteTransaction) throws -> EmailChallenge? {
        try transaction.first(
            """
            UPDATE email_challenge SET attempts = attempts + 1
            WHERE token_hash = $1 AND expires_at > $2 AND attempts < $3 AND verified_at IS NULL
            RETURNING \(Self.columns)
            """,
            [tokenHash, now, Self.attemptsMax]
        ) { try EmailChallenge(tokenHash, $0) }
    }

    /// Takes back an attempt whose code was not checked. A code that was sent in the meantime keeps all its attempts.
    func giveBackAttempt(in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE email_challenge SET attempts = attempts - 1 WHERE token_hash = $1 AND code_hash = $2",
            [tokenHash, codeHash])
    }

    /// Replaces the code and resets the number of attempts.
    /// - Returns: false if the challenge is completed. A change of address counts as completed when a new password has
    ///   ended the session that asked for it, because a code to the new address does not prove who owns the account.
    func renew(codeHash: String, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE email_challenge SET
                code_hash = $2, attempts = 0, created_at = $3, expires_at = $4,
                sign_in_version = \(SignInVersion.sql(of: "email_challenge.person_id"))
            WHERE token_hash = $1 AND verified_at IS NULL AND (
                purpose <> $5 OR person_id IS NULL
                OR sign_in_version = \(SignInVersion.sql(of: "email_challenge.person_id"))
            )
            """,
            [tokenHash, codeHash, now, now.addingTimeInterval(Self.lifetime), Purpose.changeEmail]) > 0
    }

    /// Records that the right code was entered. The next step gets the full time again.
    func verify(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE email_challenge SET verified_at = $3, expires_at = $4
            WHERE token_hash = $1 AND code_hash = $2 AND verified_at IS NULL
            """,
            [tokenHash, codeHash, now, now.addingTimeInterval(Self.lifetime)]) > 0
    }

    /// Removes the challenge with the code that was right. If two requests do this at once, or the challenge was
    /// renewed in the meantime, only the one with the current code succeeds.
    func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "DELETE FROM email_challenge WHERE token_hash = $1 AND code_hash = $2", [tokenHash, codeHash]) > 0
    }
}
