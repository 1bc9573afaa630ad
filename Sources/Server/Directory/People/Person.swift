import Foundation
import Storage

/// A person with an account: a managed one, owned by an organization, or a personal one.
package struct Person: Equatable, Sendable {
    package enum State: String, Sendable, SQLConvertible, Codable, CaseIterable {
        /// Has never signed in.
        case new
        case active
        /// Cannot sign in, and apps do not see the person; nothing is deleted.
        case deactivated
        /// After too many wrong passwords only browsers that the account knows may sign in. The lock ends by itself
        /// after a while, or at once with a new password or by an administrator.
        case locked

        var maySignIn: Bool { self != .deactivated }

        /// A locked person stays signed in: otherwise a stranger's wrong guesses would end an administrator's session.
        package var staysSignedIn: Bool { self == .active || self == .locked }
    }

    package let id: PersonID
    /// Nil for a personal account.
    package let organizationID: OrganizationID?
    package let source: RecordSource
    /// `person_id` of the CSV files.
    package let sourceID: String?
    package let givenName: String
    package let middleName: String?
    package let familyName: String
    package let email: String?
    /// When the owner of a personal account entered a code that was sent to ``email``. Nil if nobody did, or for a
    /// managed account, whose organization vouches for the address.
    package let emailVerifiedAt: Date?
    package let grade: String?
    package let personNumber: String?
    package let sisUserName: String?
    /// Lower case, unique on this server.
    package let userName: String
    package let passwordPolicy: PasswordPolicy?
    package let state: State
    package let createdAt: Date
    package let modifiedAt: Date
    /// The language that the person has chosen on our pages while signed in, as a BCP 47 tag; nil if none yet. Not part
    /// of the record that apps read.
    package let language: String?
    /// The version that sessions and grants get if the person signs in now.
    package let signInVersion: SignInVersion
    /// When everything but the id was removed from the record; nil if it was not.
    package let deletedAt: Date?

    static let columns: String = columns(of: "person")

    static func columns(of table: String) -> String {
        columnNames.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    private static let columnNames = [
        "id", "organization_id", "source", "source_id", "given_name", "middle_name", "family_name", "email", "grade",
        "person_number", "sis_username", "user_name", "password_policy", "state", "created_at", "modified_at",
        "email_verified_at", "language", "sign_in_version", "deleted_at",
    ]

    init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        source = try row["source"]
        sourceID = try row["source_id"]
        givenName = try row["given_name"]
        middleName = try row["middle_name"]
        familyName = try row["family_name"]
        email = try row["email"]
        grade = try row["grade"]
        personNumber = try row["person_number"]
        sisUserName = try row["sis_username"]
        userName = try row["user_name"]
        passwordPolicy = try row["password_policy"]
        state = try row["state"]
        createdAt = try row["created_at"]
        modifiedAt = try row["modified_at"]
        emailVerifiedAt = try row["email_verified_at"]
        language = try row["language"]
        signInVersion = try row["sign_in_version"]
        deletedAt = try row["deleted_at"]
    }
}

extension Person {
    /// Creates an account by hand.
    /// - Parameter emailVerifiedAt: when the owner entered a code that was sent to the address; nil if nobody did.
    /// - Throws: ``DirectoryError/userNameTaken(_:)``, ``DirectoryError/domainTaken(_:)``,
    ///   ``DirectoryError/invalidField(field:reason:)``
    package static func insert(
        in organization: OrganizationID?,
        sourceID: String? = nil,
        givenName: String,
        middleName: String? = nil,
        familyName: String,
        email: String? = nil,
        emailVerifiedAt: Date? = nil,
        grade: String? = nil,
        userName: String,
        passwordPolicy: PasswordPolicy? = nil,
        at now: Date,
        in transaction: WriteTransaction
    ) throws -> Person {
        let userName = try FieldRule.userName.check(userName, field: "user name").lowercased()
        try Domain.check(userName, for: organization, in: transaction)
        // A personal account must not have an address in an organization's verified domain. An organization may enter
        // any address for its people.
        if organization == nil, let email { try Domain.check(email, for: nil, in: transaction) }
        guard try !isTaken(userName: userName, at: now, in: transaction) else {
            throw DirectoryError.userNameTaken(userName)
        }
        let values: [any SQLConvertible] = [
            organization,
            try FieldRule.sourceID.checkIfPresent(sourceID, field: "person id"),
            try FieldRule.name.check(givenName, field: "first name"),
            try FieldRule.optionalName.checkIfPresent(middleName, field: "middle name"),
            try FieldRule.name.check(familyName, field: "last name"),
            try FieldRule.email.checkIfPresent(email, field: "email address"),
            try FieldRule.short.checkIfPresent(grade, field: "grade"),
            userName, passwordPolicy, now, emailVerifiedAt,
        ]
        do {
            return try insert(values, in: transaction)
        } catch DatabaseError.uniqueViolation(let key) where key.contains("user_name") {
            // Another transaction has taken the name since the check above.
            throw DirectoryError.userNameTaken(userName)
        }
    }

    private static func insert(_ values: [any SQLConvertible], in transaction: WriteTransaction) throws -> Person {
        try transaction.first(
            """
            INSERT INTO person (organization_id, source, source_id, given_name, middle_name, family_name, email, grade,
                                user_name, password_policy, state, created_at, modified_at, email_verified_at)
            VALUES ($1, 'manual', $2, $3, $4, $5, $6, $7, $8, $9, 'new', $10, $10, $11)
            RETURNING \(columns)
            """,
            values, Person.init
        )!  // an insert without conflict clause returns its row
    }

    package static func find(_ id: PersonID, in transaction: some Transaction) throws -> Person? {
        try transaction.first("SELECT \(columns) FROM person WHERE id = $1", [id], Person.init)
    }

    /// - Parameter userName: as typed. A text that is not a valid user name finds nobody.
    package static func find(userName: String, in transaction: some Transaction) throws -> Person? {
        guard let userName = try? FieldRule.userName.check(userName, field: "user name") else { return nil }
        return try transaction.first(
            "SELECT \(columns) FROM person WHERE user_name = $1", [userName.lowercased()], Person.init)
    }

    package static func find(
        sourceID: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Person? {
        try transaction.first(
            "SELECT \(columns) FROM person WHERE source_id = $1 AND organization_id = $2",
            [sourceID, organization], Person.init)
    }

    /// The next `limit` people after `last`, by id, deactivated ones included, erased ones not.
    package static func page(
        of organization: OrganizationID, after last: PersonID = .none, limit: Int, in transaction: some Transaction
    ) throws -> [Person] {
        try transaction.all(
            """
            SELECT \(columns) FROM person
            WHERE organization_id = $1 AND id > $2 AND deleted_at IS NULL
            ORDER BY id
            LIMIT $3
            """,
            [organization, last, limit], Person.init)
    }

    /// How many records there are, those of deactivated people included, and those that were erased not.
    package static func countKept(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM person WHERE organization_id = $1 AND deleted_at IS NULL", [organization]
        ) { try $0[0] } ?? 0
    }

    /// Marks the record as changed.
    static func touch(_ id: PersonID, at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET modified_at = $2 WHERE id = $1", [id, now])
    }

    /// Deactivates the account until somebody reactivates it by hand: the person cannot sign in, apps do not see the
    /// record, and an import that names them does not bring them back. Their sign-ins and registered devices end for
    /// good, and do not come back with a reactivation. The apps that they used are told, see ``Departure``.
    ///
    /// The last administrator of an organization cannot be deactivated, because nobody there could bring one back.
    /// - Parameter keepsAdministrator: whether the organization goes on, and so needs an Administrator.
    /// - Returns: false if somebody had deactivated the account by hand before.
    /// - Throws: ``DirectoryError/lastAdministrator(_:)``
    @discardableResult
    package func deactivate(
        keepsAdministrator: Bool = true, at now: Date, in transaction: WriteTransaction
    ) throws -> Bool {
        guard try Person.find(id, in: transaction)?.state != .deactivated else {
            return try transaction.execute(
                "UPDATE person SET missing_since = NULL WHERE id = $1 AND missing_since IS NOT NULL", [id]) > 0
        }
        if keepsAdministrator, let organizationID,
            try RoleAssignment.inForce(of: id, at: now, in: transaction).contains(where: { $0.role == .administrator }),
            try !Organization.hasAdministrator(organizationID, besides: id, at: now, in: transaction)
        {
            throw DirectoryError.lastAdministrator(fullName)
        }
        try transaction.execute(
            """
            UPDATE person SET state = 'deactivated', deactivated_at = $2, missing_since = NULL, modified_at = $2
            WHERE id = $1
            """,
            [id, now])
        try RosterClass.touch(withMembers: "$2", [id], at: now, in: transaction)
        try Departure.note("$1", [id], at: now, in: transaction)
        return true
    }

    /// Records the first sign-in: a new account becomes active.
    package func activate(in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET state = 'active' WHERE id = $1 AND state = 'new'", [id])
    }

    /// - Parameter language: a BCP 47 tag.
    package static func put(language: String, of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET language = $2 WHERE id = $1", [person, language])
    }

    /// SQL for the state of a reactivated `person`, derived from the account's password: locked after too many wrong
    /// ones, active if the person chose it, otherwise new. A lock whose time is over is cleared a moment later.
    package static let stateByPassword = """
        CASE
            WHEN EXISTS (
                SELECT 1 FROM credential AS c
                WHERE c.person_id = person.id AND c.failures > \(AttemptPause.forgivenMax)
                  AND c.paused_until IS NOT NULL
            )
            THEN 'locked'
            WHEN EXISTS (SELECT 1 FROM credential AS c WHERE c.person_id = person.id AND c.temporary_until IS NULL)
            THEN 'active'
            ELSE 'new'
        END
        """

    /// Undoes a deactivation; the new state is that of ``stateByPassword``. An account that is not deactivated stays as
    /// it is.
    package func reactivate(at now: Date, in transaction: WriteTransaction) throws {
        let reactivated = try transaction.execute(
            """
            UPDATE person SET
                state = \(Self.stateByPassword), deactivated_at = NULL, missing_since = NULL, modified_at = $2
            WHERE id = $1 AND state = 'deactivated' AND deleted_at IS NULL
            """,
            [id, now])
        if reactivated > 0 { try RosterClass.touch(withMembers: "$2", [id], at: now, in: transaction) }
    }
}
