import Foundation
import Storage

/// A user name that somebody had before. For a time nobody else gets it, so that whoever still writes to the name, or
/// types it at a sign-in, does not meet another person.
package struct FormerUserName: Equatable, Sendable {
    package let userName: String
    package let personID: PersonID
    /// From when on others may have it.
    package let keptUntil: Date

    static let columns = "user_name, person_id, kept_until"

    init(_ row: Row) throws {
        userName = try row["user_name"]
        personID = try row["person_id"]
        keptUntil = try row["kept_until"]
    }

    /// - Parameter userName: as typed. A text that is not a valid user name finds nobody.
    package static func find(
        _ userName: String, at now: Date, in transaction: some Transaction
    ) throws -> FormerUserName? {
        guard let userName = try? FieldRule.userName.check(userName, field: "user name") else { return nil }
        return try transaction.first(
            "SELECT \(columns) FROM former_user_name WHERE user_name = $1 AND kept_until > $2",
            [userName.lowercased(), now], FormerUserName.init)
    }

    /// The former user names of a person, in alphabetical order. Some may be kept no more, and not be deleted yet.
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [FormerUserName] {
        try transaction.all(
            "SELECT \(columns) FROM former_user_name WHERE person_id = $1 ORDER BY user_name", [person],
            FormerUserName.init)
    }

    static func keep(
        _ userName: String, of person: PersonID, until end: Date, in transaction: WriteTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO former_user_name (user_name, person_id, kept_until) VALUES ($1, $2, $3)
            ON CONFLICT (user_name) DO UPDATE SET person_id = EXCLUDED.person_id, kept_until = EXCLUDED.kept_until
            """,
            [userName, person, end])
    }

    static func release(_ userName: String, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM former_user_name WHERE user_name = $1", [userName])
    }

    package static func hasExpired(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM former_user_name WHERE kept_until <= $1", [now])
    }

    package static func deleteExpired(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM former_user_name WHERE kept_until <= $1", [now])
    }
}

extension Person {
    /// Whether a user name is somebody's, or is still kept for whoever had it.
    /// - Parameter userName: as typed.
    package static func isTaken(
        userName: String, besidesBy person: PersonID? = nil, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        if let holder = try find(userName: userName, in: transaction), holder.id != person { return true }
        if try ErasedName.isKept(userName, at: now, in: transaction) { return true }
        guard let former = try FormerUserName.find(userName, at: now, in: transaction) else { return false }
        return former.personID != person
    }

    /// Gives the account another user name. Sessions, password and the ids that apps know stay.
    /// - Parameter keptUntil: until when nobody else gets the former one; nil if it is free at once.
    /// - Throws: ``DirectoryError/userNameTaken(_:)``, ``DirectoryError/domainTaken(_:)``,
    ///   ``DirectoryError/invalidField(field:reason:)``
    package func rename(
        userName: String, keepingFormerUntil keptUntil: Date?, at now: Date, in transaction: WriteTransaction
    ) throws {
        let new = try FieldRule.userName.check(userName, field: "user name").lowercased()
        try Domain.check(new, for: organizationID, in: transaction)
        guard try !Person.isTaken(userName: new, besidesBy: id, at: now, in: transaction) else {
            throw DirectoryError.userNameTaken(new)
        }
        try FormerUserName.release(new, in: transaction)
        do {
            try transaction.execute(
                "UPDATE person SET user_name = $2, modified_at = $3 WHERE id = $1", [id, new, now])
        } catch DatabaseError.uniqueViolation(let key) where key.contains("user_name") {
            // Another transaction has taken the name since the check above.
            throw DirectoryError.userNameTaken(new)
        }
        if let keptUntil { try FormerUserName.keep(self.userName, of: id, until: keptUntil, in: transaction) }
    }
}
