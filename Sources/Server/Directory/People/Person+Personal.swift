import Foundation
import Storage

/// Changes that the owner of a personal account can make. Managed accounts are changed by their organization.
extension Person {
    /// Whether there is any personal account that can sign in.
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

    /// Changes the address, which is also the user name. The owner must have entered a code that was sent to it.
    /// - Throws: ``DirectoryError/userNameTaken(_:)``, ``DirectoryError/domainTaken(_:)``,
    ///   ``DirectoryError/invalidField(field:reason:)``
    package func changeEmail(to email: String, at now: Date, in transaction: WriteTransaction) throws {
        let email = try FieldRule.email.check(email, field: "email address")
        let userName = try FieldRule.userName.check(email, field: "user name").lowercased()
        try Domain.check(userName, for: nil, in: transaction)
        guard try !Person.isTaken(userName: userName, besidesBy: id, at: now, in: transaction) else {
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

    /// Records that the owner has entered a code that was sent to the account's address.
    package func noteVerifiedEmail(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE person SET email_verified_at = $2 WHERE id = $1 AND organization_id IS NULL", [id, now])
    }
}

extension Person {
    /// How many personal accounts have a user name or an address of a domain.
    package static func countPersonal(in domain: String, _ transaction: some Transaction) throws -> Int {
        // The domain needs no escaping for LIKE: domain names contain neither `%` nor `_`.
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
