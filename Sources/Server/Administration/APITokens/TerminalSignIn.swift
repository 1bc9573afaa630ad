import Authorization
import Directory
import Foundation
import Ground
import Storage

/// A terminal that waits until a person allows it to act as an administrator in their name. RFC 8628.
///
/// It is not a sign-in to an app: the client needs no registration, because it is the same for every installation, and
/// the token that the terminal gets is valid for the administration API only.
package struct TerminalSignIn: Sendable {
    package enum Answer: String, Sendable, SQLConvertible {
        case allowed
        case denied
    }

    let device: SecretHash
    /// The code as the terminal shows it.
    package let userCode: String
    /// How the terminal calls itself. It is not verified.
    package let program: String
    /// The network address from which it asks.
    package let address: String
    package let privileges: Set<Privilege>
    let pause: Int
    let askedAt: Date?
    let expiresAt: Date
    package let answer: Answer?
    let holder: TokenHolder?

    package static let lifetime: TimeInterval = 900
    package static let pause = 5
    /// The lifetime of a token in seconds: a working day.
    package static let tokenLifetime: TimeInterval = 12 * 3_600
    /// How long an expired sign-in is kept, in seconds, so that a terminal that still asks learns that it has expired.
    private static let memory: TimeInterval = 3_600
    /// How many sign-ins may wait at the same time, from one address and in all.
    private static let (perAddress, total) = (100, 10_000)

    private static let columns =
        "device_hash, user_code, program, address, privileges, pause, asked_at, expires_at, answer, person_id, sign_in_version"

    private init(_ row: Row) throws {
        device = try row["device_hash"]
        userCode = UserCode.spelled(try row["user_code"])
        program = try row["program"]
        address = try row["address"]
        privileges = Set(stored: try row["privileges"])
        pause = try row["pause"]
        askedAt = try row["asked_at"]
        expiresAt = try row["expires_at"]
        answer = try row["answer"]
        holder = try (row["person_id"] as PersonID?).map {
            TokenHolder(.person($0, try row["sign_in_version"]), Set(stored: try row["privileges"]))
        }
    }

    static func insert(
        _ device: SecretHash, program: String, address: String?, privileges: Set<Privilege>, at now: Date,
        from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> String {
        try transaction.execute(
            "DELETE FROM api_sign_in WHERE expires_at <= $1", [now.addingTimeInterval(-memory)])
        let block = AddressBlock(address).hash
        try transaction.keepNewest(
            perAddress - 1, of: "api_sign_in", where: "address_hash = $1 AND answer IS NULL", [block])
        try transaction.keepNewest(total - 1, of: "api_sign_in", where: "answer IS NULL")
        let code = UserCode.make(from: surroundings)
        try transaction.execute(
            """
            INSERT INTO api_sign_in
                (device_hash, user_code, program, address, address_hash, privileges, pause, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                device, code, program, address ?? "", block, privileges.text, pause,
                now.addingTimeInterval(lifetime),
            ])
        return UserCode.spelled(code)
    }

    static func find(_ device: SecretHash, in transaction: some Transaction) throws -> TerminalSignIn? {
        try transaction.first(
            "SELECT \(columns) FROM api_sign_in WHERE device_hash = $1", [device], TerminalSignIn.init)
    }

    /// The sign-in with the code that a person typed; case, spaces and hyphens are ignored. Nil if there is none, or it
    /// has expired.
    package static func find(
        userCode: String, at now: Date, in transaction: some Transaction
    ) throws -> TerminalSignIn? {
        guard let code = UserCode.parse(userCode) else { return nil }
        return try transaction.first(
            "SELECT \(columns) FROM api_sign_in WHERE user_code = $1 AND expires_at > $2", [code, now],
            TerminalSignIn.init)
    }

    /// Records the person's decision.
    /// - Returns: false if there was a decision before, or the sign-in has expired.
    func record(
        _ answer: Answer, by person: PersonID, _ version: SignInVersion, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE api_sign_in SET answer = $2, person_id = $3, sign_in_version = $4
            WHERE device_hash = $1 AND answer IS NULL AND expires_at > $5
            """, [device, answer, person, version, now]) > 0
    }

    /// Records that the terminal has asked. If it asks too often, it has to wait longer each time. RFC 8628 §3.5.
    /// - Returns: false if it has asked too early.
    func noteQuestion(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        let isEarly = askedAt.map { now.timeIntervalSince($0) < Double(pause) } ?? false
        try transaction.execute(
            "UPDATE api_sign_in SET asked_at = $2, pause = $3 WHERE device_hash = $1",
            [device, now, isEarly ? min(pause + 5, 60) : pause])
        return !isEarly
    }

    /// Redeems the device code. Of two simultaneous requests only one succeeds, and gets a token.
    func take(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM api_sign_in WHERE device_hash = $1 AND answer = 'allowed'", [device]) > 0
    }
}
