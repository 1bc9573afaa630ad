import Foundation
import Ground
import Storage

/// What a person, or an administrator for them, enters on a device to register it: good once, for a quarter of an hour.
/// A person has one at a time. The database has its hash.
package enum DeviceRegistrationCode {
    package static let lifetime: TimeInterval = 900
    /// Letters that cannot be taken for others and make no words, as RFC 8628 §6.1 has them: 12 of 20 are 51 bits.
    private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"
    private static let length = 12

    package struct Issued: Sendable {
        /// As people read it: `WDJB-MJHT-KPQR`.
        package let text: String
        package let expiresAt: Date
    }

    /// A new code; the one that the person had is void.
    static func insert(
        for person: PersonID, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Issued {
        let code = surroundings.randomText(length, from: alphabet)
        let expiresAt = now.addingTimeInterval(lifetime)
        try transaction.execute("DELETE FROM device_registration_code WHERE expires_at <= $1", [now])
        try transaction.execute(
            """
            INSERT INTO device_registration_code (person_id, code_hash, expires_at) VALUES ($1, $2, $3)
            ON CONFLICT (person_id) DO UPDATE SET code_hash = EXCLUDED.code_hash, expires_at = EXCLUDED.expires_at
            """,
            [person, SecretHash(of: code), expiresAt])
        return Issued(text: spelled(code), expiresAt: expiresAt)
    }

    /// Spends a code: of many who use it at once, one gets the person.
    /// - Parameter text: as it was typed, without regard to case, spaces and hyphens.
    static func take(_ text: String, at now: Date, in transaction: WriteTransaction) throws -> PersonID? {
        guard let code = parse(text) else { return nil }
        return try transaction.first(
            "DELETE FROM device_registration_code WHERE code_hash = $1 AND expires_at > $2 RETURNING person_id",
            [SecretHash(of: code), now]
        ) { try $0[0] }
    }

    static func void(of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM device_registration_code WHERE person_id = $1", [person])
    }

    private static func spelled(_ code: String) -> String {
        stride(from: 0, to: length, by: 4).map { String(code.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }

    private static func parse(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let code = text.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        return code.count == length && code.allSatisfy { alphabet.contains($0) } ? code : nil
    }
}
