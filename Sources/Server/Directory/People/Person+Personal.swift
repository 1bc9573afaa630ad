import Foundation
import Storage

/// What the owner of a personal account changes of it. A managed account is its organization's to change.
extension Person {
    /// Whether anybody has a personal account here with which they can sign in.
    package static func hasPersonal(in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM person WHERE organization_id IS NULL AND state <> 'deactivated'", [])
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func rename(
        givenName: String, familyName: String, at now: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            UPDATE person SET given_name = $2, family_name = $3, modified_at = $4
            WHERE id = $1 AND organization_id IS NULL
            """,
            [
                id, try FieldRule.name.check(givenName, unlessStill: self.givenName, field: "first name"),
                try FieldRule.name.check(familyName, unlessStill: self.familyName, field: "last name"), now,
            ])
    }

    /// To an address at which the owner has answered a code. It is also the user name.
    /// - Throws: ``DirectoryError/userNameTaken(_:)``, ``DirectoryError/domainTaken(_:)``,
    ///   ``DirectoryError/invalidField(field:reason:)``
    package func changeEmail(to email: String, at now: Date, in transaction: WriteTransaction) throws {
        let email = try FieldRule.email.check(email, field: "email address")
        let userName = try FieldRule.userName.check(email, field: "user name").lowercased()
        try Domain.check(userName, for: nil, in: transaction)
        if let other = try Person.find(userName: userName, in: transaction), other.id != id {
            throw DirectoryError.userNameTaken(userName)
        }
        do {
            try transaction.execute(
                """
                UPDATE person SET email = $2, email_verified_at = $4, user_name = $3, modified_at = $4
                WHERE id = $1 AND organization_id IS NULL
                """,
                [id, email, userName, now])
        } catch DatabaseError.uniqueViolation(let key) where key.contains("user_name") {
            throw DirectoryError.userNameTaken(userName)
        }
    }

    /// The owner has answered a code that was sent to the address of the account.
    package func noteVerifiedEmail(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE person SET email_verified_at = $2 WHERE id = $1 AND organization_id IS NULL", [id, now])
    }

    /// Takes everything out of the record that tells who it was. The id stays, and is nobody else's ever: apps may
    /// still know it. The user name is free again.
    package func erase(at now: Date, in transaction: WriteTransaction) throws {
        // No user name that somebody chooses has a space.
        try transaction.execute(
            """
            UPDATE person SET
                given_name = '', middle_name = NULL, family_name = '', email = NULL, email_verified_at = NULL,
                user_name = 'deleted ' || id,
                password_policy = NULL, language = NULL, state = 'deactivated', deactivated_at = $2, deleted_at = $2,
                modified_at = $2
            WHERE id = $1 AND organization_id IS NULL
            """,
            [id, now])
        try Self.endSignIns(of: "$1", [id], devices: true, in: transaction)
        try transaction.execute("DELETE FROM credential WHERE person_id = $1", [id])
    }
}

extension Person {
    /// How many personal accounts have a user name or an address of a domain.
    package static func countPersonal(in domain: String, _ transaction: some Transaction) throws -> Int {
        // No wildcard stands in a domain name but `_`, which none has.
        try transaction.first(
            """
            SELECT COUNT(*) FROM person
            WHERE organization_id IS NULL AND deleted_at IS NULL
              AND (LOWER(email) LIKE '%@' || $1 OR user_name LIKE '%@' || $1)
            """,
            [domain]
        ) { try $0[0] } ?? 0
    }
}
