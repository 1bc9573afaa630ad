import Directory
import Foundation
import Ground
import Storage

/// A code of six digits that went to an email address, and waits to be entered in the browser that asked for it.
///
/// There is one for every request that was taken, also where no code was to be sent: nothing about it tells whether the
/// address has an account. A code is stored as Argon2id hash, because a fast hash of six digits hides nothing.
package struct EmailChallenge: Sendable {
    package enum Purpose: String, Sendable, SQLConvertible {
        case signUp = "sign_up"
        case resetPassword = "reset_password"
        case changeEmail = "change_email"
    }

    /// Who an account to be is, as typed and checked.
    struct Applicant: Sendable {
        let givenName: String
        let familyName: String
        let passwordHash: String
    }

    let tokenHash: SecretHash
    package let purpose: Purpose
    /// Where the code went.
    package let email: String
    /// Whose password is forgotten, or whose address changes. Nil for an account to be, and if no code was sent.
    let personID: PersonID?
    /// Of that person when the code was made.
    let version: SignInVersion?
    /// Nil unless it is about an account to be, and a code was sent.
    let applicant: Applicant?
    let codeHash: String
    /// So often was a code entered.
    let attempts: Int
    /// A path on this server.
    package let target: String
    package let expiresAt: Date
    package let verifiedAt: Date?

    package static let lifetime: TimeInterval = 900
    /// So many codes may be entered; then a new one has to be sent.
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

    /// From 000000 to 999999, all equally likely.
    static func makeCode(from surroundings: Surroundings) -> String {
        while true {
            let number = surroundings.randomBytes(3).reduce(0) { $0 << 8 | Int($1) }
            // What is beyond the last whole million would favour small codes.
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

    /// They stay for a while, so that a new code can be sent for one that has just expired.
    static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM email_challenge WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
    }

    /// How long after its end a challenge can be renewed.
    static let memory: TimeInterval = 3_600

    /// Also one whose time is over, or that was tried too often; nil if it is unknown, done, long over, or another
    /// browser's.
    package static func find(
        token: String, browser: String, at now: Date, in transaction: some Transaction
    ) throws -> EmailChallenge? {
        let hash = SecretHash(of: token)
        return try transaction.first(
            "SELECT \(columns) FROM email_challenge WHERE token_hash = $1 AND browser_hash = $2 AND expires_at > $3",
            [hash, SecretHash(of: browser), now.addingTimeInterval(-memory)]
        ) { try EmailChallenge(hash, $0) }
    }

    /// Counts an attempt before the code is looked at, so that many at once are counted too.
    /// - Returns: nil if there were too many, or time is over.
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

    /// Takes an attempt back whose code was not looked at. A code that was sent meanwhile has all of its own.
    func giveBackAttempt(in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE email_challenge SET attempts = attempts - 1 WHERE token_hash = $1 AND code_hash = $2",
            [tokenHash, codeHash])
    }

    /// Replaces the code; what was typed wrong before is forgotten.
    /// - Returns: false if it is done meanwhile. A change of the address is, when a new password has ended the session that
    ///   asked for it: the code goes to the new address, which says nothing of who owns the account.
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

    /// Notes that the right code was entered; the next step has as much time again.
    func verify(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE email_challenge SET verified_at = $3, expires_at = $4
            WHERE token_hash = $1 AND code_hash = $2 AND verified_at IS NULL
            """,
            [tokenHash, codeHash, now, now.addingTimeInterval(Self.lifetime)]) > 0
    }

    /// Takes the challenge out, with the code that was right: of two at once, and of one that was renewed meanwhile,
    /// only the right one gets it.
    func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "DELETE FROM email_challenge WHERE token_hash = $1 AND code_hash = $2", [tokenHash, codeHash]) > 0
    }
}
