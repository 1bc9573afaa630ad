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
                id, try FieldRule.name.check(givenName, field: "first name"),
                try FieldRule.name.check(familyName, field: "last name"), now,
            ])
    }

    /// The address is also the user name.
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
                UPDATE person SET email = $2, user_name = $3, modified_at = $4
                WHERE id = $1 AND organization_id IS NULL
                """,
                [id, email, userName, now])
        } catch DatabaseError.uniqueViolation(let key) where key.contains("user_name") {
            throw DirectoryError.userNameTaken(userName)
        }
    }

    /// Takes everything out of the record that tells who it was. The id stays, and is nobody else's ever: apps may
    /// still know it. The user name is free again.
    package func erase(at now: Date, in transaction: WriteTransaction) throws {
        // No user name that somebody chooses has a space.
        try transaction.execute(
            """
            UPDATE person SET
                given_name = '', middle_name = NULL, family_name = '', email = NULL, user_name = 'deleted ' || id,
                password_policy = NULL, state = 'deactivated', deactivated_at = $2, deleted_at = $2, modified_at = $2
            WHERE id = $1 AND organization_id IS NULL
            """,
            [id, now])
        try KnownBrowser.forget(all: id, in: transaction)
        for table in ["credential", "browser_session"] {
            try transaction.execute("DELETE FROM \(table) WHERE person_id = $1", [id])
        }
    }
}
