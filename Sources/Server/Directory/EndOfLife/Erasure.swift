import Foundation
import Ground
import Storage

/// The note that a record of a person was erased. The record itself stays as an empty row, because the ids that apps
/// know are made from its number: it must never become another person's.
package struct Erasure: Equatable, Sendable {
    package let personID: PersonID
    package let organizationID: OrganizationID
    package let erasedAt: Date
    /// When the record was made. By it the record is recognized in a copy of the database, in which its number may
    /// belong to somebody else.
    package let createdAt: Date

    /// A hash of the id by which imports found a person, so that they are recognized when files name them again. The
    /// organization is in it, so that hashes of two schools do not match.
    package static func identityHash(of sourceID: String, in organization: OrganizationID) -> SecretHash {
        SecretHash(of: "person id \(organization.rawValue) \(sourceID)")
    }

    private static let columns = "erasure.person_id, erasure.organization_id, erasure.erased_at, person.created_at"

    private init(_ row: Row) throws {
        personID = try row["person_id"]
        organizationID = try row["organization_id"]
        erasedAt = try row["erased_at"]
        createdAt = try row["created_at"]
    }

    /// The next `limit` after `last`, by the number of the person.
    package static func page(
        of organization: OrganizationID, after last: PersonID, limit: Int, in transaction: some Transaction
    ) throws -> [Erasure] {
        try transaction.all(
            """
            SELECT \(columns) FROM erasure
            JOIN person ON person.id = erasure.person_id
            WHERE erasure.organization_id = $1 AND erasure.person_id > $2
            ORDER BY erasure.person_id
            LIMIT $3
            """, [organization, last, limit], Erasure.init)
    }

    package static func find(_ person: PersonID, in transaction: some Transaction) throws -> Erasure? {
        try transaction.first(
            """
            SELECT \(columns) FROM erasure JOIN person ON person.id = erasure.person_id WHERE erasure.person_id = $1
            """, [person], Erasure.init)
    }

    /// The hashes of all ids by which imports found people who were erased.
    package static func identityHashes(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Set<SecretHash> {
        Set(
            try transaction.all(
                "SELECT identity_hash FROM erasure WHERE organization_id = $1 AND identity_hash IS NOT NULL",
                [organization]
            ) { try $0[0] as SecretHash })
    }
}

extension Person {
    /// Whether nothing is left of the record but its number.
    package var isErased: Bool { deletedAt != nil }

    /// Removes everything from the record that identifies the person. The id stays and is never used again, because
    /// apps may still know it. The caller deletes what other tables have of the person.
    package func erase(at now: Date, in transaction: WriteTransaction) throws {
        // No chosen user name contains a space, so this one cannot collide.
        try transaction.execute(
            """
            UPDATE person SET
                source = 'manual', source_id = NULL, import_id = NULL, given_name = '', middle_name = NULL,
                family_name = '', email = NULL, email_verified_at = NULL, grade = NULL, person_number = NULL,
                sis_username = NULL, user_name = 'deleted ' || id, password_policy = NULL, language = NULL,
                state = 'deactivated', deactivated_at = $2, missing_since = NULL, deleted_at = $2, modified_at = $2
            WHERE id = $1
            """,
            [id, now])
        try SearchIndex<Person>.remove(id, in: transaction)
        try Self.endSignIns(of: "$1", [id], devices: true, in: transaction)
        try transaction.execute("DELETE FROM credential WHERE person_id = $1", [id])
    }

    /// Erases the record of somebody whom an organization manages, and notes that it was. The user names are kept from
    /// others for a time, as hashes; the id by which imports found the person for good.
    package func eraseManaged(in organization: OrganizationID, at now: Date, in transaction: WriteTransaction) throws {
        for former in try FormerUserName.list(of: id, in: transaction) {
            try ErasedName.keep(former.userName, until: former.keptUntil, in: transaction)
        }
        try transaction.execute("DELETE FROM former_user_name WHERE person_id = $1", [id])
        try ErasedName.keep(userName, until: now.addingTimeInterval(ErasedName.memory), in: transaction)
        try transaction.execute(
            "INSERT INTO erasure (person_id, organization_id, erased_at, identity_hash) VALUES ($1, $2, $3, $4)",
            [id, organization, now, sourceID.map { Erasure.identityHash(of: $0, in: organization) }])
        try erase(at: now, in: transaction)
    }

    /// Takes care that no new record gets one of the ids up to this one.
    package static func neverUse(upTo id: PersonID, in transaction: WriteTransaction) throws {
        switch transaction.dialect {
        case .sqlite:
            try transaction.execute(
                "UPDATE sqlite_sequence SET seq = MAX(seq, $1) WHERE name = 'person'", [id])
        case .postgres:
            try transaction.forEach(
                """
                SELECT setval(
                    pg_get_serial_sequence('person', 'id'),
                    GREATEST($1, (SELECT COALESCE(MAX(id), 1) FROM person),
                             (SELECT last_value FROM person_id_seq))
                )
                """, [id]
            ) { _ in }
        }
    }
}
