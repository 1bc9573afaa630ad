import Foundation
import Ground
import Storage

/// User names of people who were erased. For a time nobody else gets them, so that whoever still writes to the name
/// does not meet another person. Only hashes are kept.
package enum ErasedName {
    /// As long as a former name is usually kept, in seconds.
    package static let memory: TimeInterval = 90 * 86_400

    private static func hash(_ userName: String) -> SecretHash { SecretHash(of: userName.lowercased()) }

    static func keep(_ userName: String, until end: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO erased_name (name_hash, kept_until) VALUES ($1, $2)
            ON CONFLICT (name_hash) DO UPDATE SET kept_until = EXCLUDED.kept_until
            """, [hash(userName), end])
    }

    package static func isKept(_ userName: String, at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM erased_name WHERE name_hash = $1 AND kept_until > $2", [hash(userName), now])
    }

    /// All names that are kept, for code that compares many names with them.
    package static func all(in transaction: some Transaction) throws -> Names {
        Names(hashes: Set(try transaction.all("SELECT name_hash FROM erased_name") { try $0[0] as SecretHash }))
    }

    package struct Names: Sendable {
        fileprivate let hashes: Set<SecretHash>
        package var isEmpty: Bool { hashes.isEmpty }
        package func contains(_ userName: String) -> Bool { hashes.contains(hash(userName)) }
    }

    package static func hasExpired(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM erased_name WHERE kept_until <= $1", [now])
    }

    package static func deleteExpired(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM erased_name WHERE kept_until <= $1", [now])
    }
}
