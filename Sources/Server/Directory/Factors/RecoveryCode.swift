import Foundation
import Ground
import Storage

/// Codes on paper for the day on which phone and passkey are lost: each is good for one sign-in after the password.
/// They are shown once, and stored as hashes.
package enum RecoveryCode {
    /// How many a person gets.
    package static let count = 10

    /// Makes new codes; the former ones are void.
    /// - Returns: the codes in groups of four characters, without those that are taken for others.
    static func make(
        for person: PersonID, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> [String] {
        try deleteAll(of: person, in: transaction)
        return try (0..<count).map { _ in
            // 32 letters and digits, so 80 bits: too many to be tried, even by who has read the hashes.
            let groups = (0..<4).map { _ in surroundings.randomText(4, from: "abcdefghijkmnpqrstuvwxyz23456789") }
            try transaction.execute(
                "INSERT INTO recovery_code (code_hash, person_id, made_at) VALUES ($1, $2, $3)",
                [hash(groups.joined(), person), person, now])
            return groups.joined(separator: "-")
        }
    }

    /// Takes a code, which is void from then on.
    /// - Parameter code: without spaces and hyphens, in lower case.
    static func take(_ code: String, of person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "DELETE FROM recovery_code WHERE code_hash = $1 AND person_id = $2", [hash(code, person), person]) > 0
    }

    static func count(of person: PersonID, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM recovery_code WHERE person_id = $1", [person]) { try $0[0] } ?? 0
    }

    static func deleteAll(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM recovery_code WHERE person_id = $1", [person])
    }

    private static func hash(_ code: String, _ person: PersonID) -> SecretHash {
        SecretHash(of: "recovery code \(person.rawValue) \(code)")
    }
}
