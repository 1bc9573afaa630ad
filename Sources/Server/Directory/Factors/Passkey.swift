import Foundation
import Storage

package struct PasskeyID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A key with which a person signs in: their phone, their computer or a key for the pocket has it, and the server has
/// the public half. WebAuthn Level 2 §4, "Public Key Credential Source".
package struct Passkey: Equatable, Sendable {
    package let id: PasskeyID
    package let personID: PersonID
    /// Chosen by the authenticator, 1 to ``credentialIDBytesMax`` bytes. No two passkeys of a server have the same.
    package let credentialID: [UInt8]
    /// What the authenticator knows the person by.
    let userHandle: [UInt8]
    let algorithm: PasskeyAlgorithm
    let publicKey: [UInt8]
    /// How often the key has signed; 0 if the authenticator does not count.
    let signatureCount: Int
    /// Whether it may be, and is, on several devices of the person.
    package let mayBeBackedUp: Bool
    package let isBackedUp: Bool
    package let name: String
    package let addedAt: Date
    /// When it last proved who the person is.
    package let usedAt: Date?

    /// The maximum number of passkeys of one person.
    package static let perPersonMax = 10
    /// WebAuthn Level 2 §4, "Credential ID".
    static let credentialIDBytesMax = 1_023

    private static let columns = """
        id, person_id, credential_id, user_handle, algorithm, public_key, signature_count, may_be_backed_up,
        is_backed_up, name, added_at, used_at
        """
}

extension Passkey {
    private init(_ row: Row) throws {
        id = try row["id"]
        personID = try row["person_id"]
        credentialID = try row["credential_id"]
        userHandle = try row["user_handle"]
        algorithm = try row["algorithm"]
        publicKey = try row["public_key"]
        signatureCount = try row["signature_count"]
        mayBeBackedUp = try row["may_be_backed_up"]
        isBackedUp = try row["is_backed_up"]
        name = try row["name"]
        addedAt = try row["added_at"]
        usedAt = try row["used_at"]
    }

    /// - Returns: nil if the credential id is registered already.
    static func insert(
        _ key: PasskeyRegistration.Key, named name: String, userHandle: [UInt8], of person: PersonID, at now: Date,
        in transaction: WriteTransaction
    ) throws -> Passkey? {
        try transaction.first(
            """
            INSERT INTO passkey
                (person_id, credential_id, user_handle, algorithm, public_key, signature_count, may_be_backed_up,
                 is_backed_up, name, added_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (credential_id) DO NOTHING
            RETURNING \(columns)
            """,
            [
                person, key.credentialID, userHandle, key.algorithm, key.publicKey, key.signatureCount,
                key.mayBeBackedUp, key.isBackedUp, name, now,
            ], Passkey.init)
    }

    package static func find(credentialID: [UInt8], in transaction: some Transaction) throws -> Passkey? {
        try transaction.first(
            "SELECT \(columns) FROM passkey WHERE credential_id = $1", [credentialID], Passkey.init)
    }

    /// The passkeys of a person, oldest first.
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [Passkey] {
        try transaction.all(
            "SELECT \(columns) FROM passkey WHERE person_id = $1 ORDER BY id", [person], Passkey.init)
    }

    package static func count(of person: PersonID, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM passkey WHERE person_id = $1", [person]) { try $0[0] } ?? 0
    }

    /// Notes that the key has signed. The condition is part of the statement, so that of two copies that sign at once
    /// one is noticed.
    /// - Returns: false if the count did not grow, or the passkey was removed. WebAuthn Level 2 §7.2 step 21.
    func noteUse(_ proof: PasskeyAssertion.Proof, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE passkey SET signature_count = $2, is_backed_up = $3, used_at = $4
            WHERE id = $1 AND (signature_count < $2 OR (signature_count = 0 AND $2 = 0))
            """,
            [id, proof.signatureCount, proof.isBackedUp, now]) > 0
    }

    /// - Returns: false if the person has no such passkey.
    static func delete(_ id: PasskeyID, of person: PersonID, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM passkey WHERE id = $1 AND person_id = $2", [id, person]) > 0
    }
}
