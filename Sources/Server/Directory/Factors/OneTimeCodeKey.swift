import Foundation
import Ground
import Storage

/// The secret that a person's generator shares with the server, as stored: sealed under the master key.
package struct OneTimeCodeKey: Sendable {
    private let personID: PersonID
    private let sealedSecret: [UInt8]
    private let lastStep: Int
    package let addedAt: Date
}

extension OneTimeCodeKey {
    package static func find(of person: PersonID, in transaction: some Transaction) throws -> OneTimeCodeKey? {
        try transaction.first(
            "SELECT sealed_secret, last_step, added_at FROM one_time_code_key WHERE person_id = $1", [person]
        ) { row in
            OneTimeCodeKey(
                personID: person, sealedSecret: try row["sealed_secret"], lastStep: try row["last_step"],
                addedAt: try row["added_at"])
        }
    }

    /// Keeps a secret in place of any other.
    /// - Parameter step: the step of the code with which the person has shown that their generator works.
    static func put(
        _ secret: [UInt8], usedAt step: Int, of person: PersonID, sealing: Sealing, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO one_time_code_key (person_id, sealed_secret, last_step, added_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (person_id) DO UPDATE SET
                sealed_secret = EXCLUDED.sealed_secret, last_step = EXCLUDED.last_step, added_at = EXCLUDED.added_at
            """,
            [person, try sealing.seal(secret, purpose(person)), step, now])
    }

    /// Takes a code. Of two who show it at once, one comes first.
    /// - Parameter code: six digits.
    /// - Returns: false if it is wrong, or was taken before.
    func take(_ code: String, sealing: Sealing, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        let secret = try sealing.open(sealedSecret, Self.purpose(personID))
        guard let step = OneTimeCode.step(of: code, by: secret, after: lastStep, at: now) else { return false }
        return try transaction.execute(
            "UPDATE one_time_code_key SET last_step = $2 WHERE person_id = $1 AND last_step < $2", [personID, step]) > 0
    }

    static func delete(of person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM one_time_code_key WHERE person_id = $1", [person]) > 0
    }

    private static func purpose(_ person: PersonID) -> String { "one_time_code_key \(person.rawValue)" }
}
