import Foundation
import Ground
import Storage

/// The code that is entered on a device to register it: valid once, for a quarter of an hour. A person has at most one.
/// The database has only its hash.
package enum DeviceRegistrationCode {
    package static let lifetime: TimeInterval = 900
    /// Letters that are not easily confused and form no words (RFC 8628 §6.1). 12 of 20 give 51 bits.
    private static let alphabet = "BCDFGHJKLMNPQRSTVWXZ"
    private static let length = 12

    package struct Issued: Sendable {
        /// The code as people read it: `WDJB-MJHT-KPQR`.
        package let text: String
        package let expiresAt: Date
    }

    /// Makes a new code; the person's previous one becomes void.
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

    /// Uses a code up. If several use it at the same time, only one of them gets the person.
    /// - Parameter text: as typed; case, spaces and hyphens are ignored.
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
