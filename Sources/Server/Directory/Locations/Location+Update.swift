import Foundation
import Storage

extension Location {
    static func check(timeZone: String?) throws {
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw DirectoryError.invalidField(field: "time zone", reason: "is no IANA name such as Europe/Berlin")
        }
    }

    /// Changes the fields that can be edited by hand. The next import restores the name of an imported location.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func update(
        name: String, domainName: String?, timeZone: String?, studentPasswordPolicy: PasswordPolicy?, at now: Date,
        in transaction: WriteTransaction
    ) throws {
        try Self.check(timeZone: timeZone)
        try transaction.execute(
            """
            UPDATE location
            SET name = $2, domain_name = $3, time_zone = $4, student_password_policy = $5, modified_at = $6
            WHERE id = $1
            """,
            [
                id, try FieldRule.name.check(name, unlessStill: self.name, field: "location name"),
                try FieldRule.domainName.checkIfPresent(domainName, field: "domain"), timeZone, studentPasswordPolicy,
                now,
            ])
    }

    /// Takes the location from apps and lists. Whatever names it keeps its number, and means nothing else by it.
    package func archive(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE location SET archived_at = $2, modified_at = $2 WHERE id = $1", [id, now])
    }

    /// Brings an archived location back.
    package func restore(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE location SET archived_at = NULL, modified_at = $2 WHERE id = $1", [id, now])
    }

    /// The archived locations with this id in the school's records, or exactly this name; the last one archived first.
    package static func listArchived(
        called text: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [Location] {
        try transaction.all(
            """
            SELECT \(columns) FROM location
            WHERE organization_id = $1 AND archived_at IS NOT NULL AND (source_id = $2 OR name = $3)
            ORDER BY CASE WHEN source_id = $2 THEN 0 ELSE 1 END, archived_at DESC, id DESC
            """,
            [organization, text, text.precomposedStringWithCanonicalMapping], Location.init)
    }

    /// The archived locations at which a person holds a role that is not over.
    package static func listArchived(
        heldBy person: PersonID, at now: Date, in transaction: some Transaction
    ) throws -> [Location] {
        try transaction.all(
            """
            SELECT \(columns) FROM location
            WHERE archived_at IS NOT NULL AND id IN (
                SELECT held.location_id FROM role_assignment AS held
                WHERE held.person_id = $1 AND \(RolePeriod.isNotOver("held", at: "$2"))
            )
            ORDER BY id
            """, [person, now], Location.init)
    }

    /// The archived location at which the class is, or has its course; nil if there is none.
    package static func archived(of class: ClassID, in transaction: some Transaction) throws -> Location? {
        try archived(ofClasses: "class.id = $1", [`class`], in: transaction)?.location
    }

    /// An archived location at which one of the classes is, or has its course, that reopening the term restores, and that
    /// class; nil if there is none.
    package static func archived(
        of term: Term, in transaction: some Transaction
    ) throws -> (class: ClassID, location: Location)? {
        guard let closedAt = term.closedAt else { return nil }
        return try archived(
            ofClasses: "class.term_id = $1 AND class.archived_at = $2", [term.id, closedAt], in: transaction)
    }

    private static func archived(
        ofClasses condition: String, _ parameters: [any SQLConvertible], in transaction: some Transaction
    ) throws -> (class: ClassID, location: Location)? {
        try transaction.first(
            """
            SELECT place.class_id, \(columns) FROM (
                SELECT class.id AS class_id, class.location_id FROM class WHERE \(condition)
                UNION SELECT class.id, course.location_id FROM class
                JOIN course ON course.id = class.course_id WHERE \(condition)
            ) AS place
            JOIN location ON location.id = place.location_id AND location.archived_at IS NOT NULL
            ORDER BY place.class_id, location.id LIMIT 1
            """, parameters
        ) { (class: try $0["class_id"], location: try Location($0)) }
    }

    /// How many locations the organization has.
    package static func count(of organization: OrganizationID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM location WHERE organization_id = $1 AND archived_at IS NULL", [organization]
        ) { try $0[0] } ?? 0
    }

    /// The locations with exactly this name.
    package static func list(
        named name: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [Location] {
        try transaction.all(
            """
            SELECT \(columns) FROM location
            WHERE name = $1 AND organization_id = $2 AND archived_at IS NULL
            ORDER BY id
            """,
            [name, organization], Location.init)
    }
}
