import Foundation
import Ground
import Storage

/// A realm of Kerberos whose tickets sign people of an organization in, and whom a name in it means.
///
/// A realm belongs to one organization, so that a ticket means one person at most.
package struct KerberosRealm: Equatable, Sendable {
    /// What the name in a ticket, before the `@`, is of a person.
    package enum Matching: String, Codable, CaseIterable, Sendable, SQLConvertible {
        /// The user name: with ``KerberosRealm/domain``, what stands before its `@`.
        case userName = "user_name"
        /// The name in the information system.
        case sisUserName = "sis_username"
        case personNumber = "person_number"
    }

    package let name: String
    package let matching: Matching
    /// For ``Matching/userName``: what follows the name and an `@` in the user name. Nil if the user name is the name.
    package let domain: String?
    /// Whether the operator has given it to the organization, so that it stays there whatever domains others verify.
    package let isGiven: Bool

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package init(name: String, matching: Matching, domain: String?, isGiven: Bool = false) throws {
        self.isGiven = isGiven
        self.name = try FieldRule.realm.check(name, field: "realm")
        self.matching = matching
        self.domain = try FieldRule.domainName.checkIfPresent(domain, field: "domain")?.lowercased()
        guard matching == .userName || self.domain == nil else {
            throw DirectoryError.invalidField(field: "domain", reason: "goes with the matching user_name only")
        }
    }

    fileprivate init(_ row: Row) throws {
        name = try row["realm"]
        matching = try row["matching"]
        domain = try row["domain"]
        isGiven = try row["is_given"]
    }

    /// How many an organization may have.
    package static let perOrganizationMax = 20
}

extension KerberosRealm {
    private static let columns = "realm, matching, domain, is_given"

    package static func list(of organization: OrganizationID, in transaction: some Transaction) throws
        -> [KerberosRealm]
    {
        try transaction.all(
            "SELECT \(columns) FROM kerberos_realm WHERE organization_id = $1 ORDER BY lower(realm)", [organization],
            KerberosRealm.init)
    }

    /// Whether any organization that may sign people in has a realm.
    /// - Parameter organization: if given, whether that one has.
    package static func exists(of organization: OrganizationID? = nil, in transaction: some Transaction) throws -> Bool
    {
        guard let organization else { return try transaction.exists("SELECT 1 FROM kerberos_realm", []) }
        return try transaction.exists("SELECT 1 FROM kerberos_realm WHERE organization_id = $1", [organization])
    }

    /// The realm that writes itself exactly so, and whose it is.
    static func find(
        _ name: String, in transaction: some Transaction
    ) throws -> (realm: KerberosRealm, organization: OrganizationID)? {
        try holder(of: name, in: transaction).flatMap { $0.realm.name.isExactly(name) ? $0 : nil }
    }

    /// The realm of the name, in whichever case, and whose it is.
    package static func holder(
        of name: String, in transaction: some Transaction
    ) throws -> (realm: KerberosRealm, organization: OrganizationID)? {
        try transaction.first(
            "SELECT \(columns), organization_id FROM kerberos_realm WHERE lower(realm) = $1", [name.lowercased()]
        ) { (realm: try KerberosRealm($0), organization: try $0["organization_id"] as OrganizationID) }
    }

    /// The verified domains that a realm of the name is or lies in, the longest first, and whose each is.
    package static func domains(
        around name: String, in transaction: some Transaction
    ) throws -> [(name: String, organization: OrganizationID)] {
        // A domain holds no `%` and no `_`.
        try transaction.all(
            """
            SELECT name, organization_id FROM domain
            WHERE verified_at IS NOT NULL AND (name = $1 OR $1 LIKE '%.' || name)
            ORDER BY length(name) DESC
            """, [name.lowercased()]
        ) { (try $0["name"], try $0["organization_id"]) }
    }

    /// Adds the realm, or changes whom its names mean.
    /// - Returns: false if it is another organization's.
    package func put(for organization: OrganizationID, at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            """
            INSERT INTO kerberos_realm (organization_id, realm, matching, domain, is_given, added_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (lower(realm)) DO UPDATE
            SET realm = EXCLUDED.realm, matching = EXCLUDED.matching, domain = EXCLUDED.domain, is_given = EXCLUDED.is_given
            WHERE kerberos_realm.organization_id = EXCLUDED.organization_id
            """,
            [organization, name, matching, domain, isGiven, now]) > 0
    }

    package func delete(of organization: OrganizationID, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "DELETE FROM kerberos_realm WHERE organization_id = $1 AND realm = $2", [organization, name])
    }
}

// MARK: Whom a name means

extension KerberosRealm {
    /// The people of the organization whom a name in the realm could mean, whether they may sign in or not; two at most
    /// are read. Letters of ASCII count as equal in upper and lower case, because Active Directory gives a name as it was
    /// typed.
    func people(called name: String, in organization: OrganizationID, _ transaction: some Transaction) throws
        -> [Person]
    {
        // PostgreSQL does not accept NUL in text, and no column holds longer ones.
        guard !name.isEmpty, name.utf8.count <= 256, !name.hasNUL else { return [] }
        func find(_ column: String, _ value: (Person) -> String?) throws -> [Person] {
            let found = try transaction.all(
                """
                SELECT \(Person.columns) FROM person
                WHERE organization_id = $1 AND \(column) IS NOT NULL AND lower(\(column)) = lower($2)
                    AND deleted_at IS NULL
                LIMIT 2
                """, [organization, name], Person.init)
            return found.count == 1 && !Self.isSame(value(found[0]), name) ? [] : found
        }
        switch matching {
        case .userName:
            let userName = domain.map { "\(name)@\($0)" } ?? name
            let person = try Person.find(userName: userName, in: transaction)
            return person.flatMap {
                $0.organizationID == organization && Self.isSame($0.userName, userName) ? [$0] : nil
            } ?? []
        case .sisUserName: return try find("sis_username", \.sisUserName)
        case .personNumber: return try find("person_number", \.personNumber)
        }
    }

    /// Databases and Unicode take more letters for the same than those of ASCII, such as the sign of the Kelvin for a K.
    private static func isSame(_ one: String?, _ other: String) -> Bool {
        func folded(_ text: String) -> [UInt8] { text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 } }
        return one.map { folded($0) == folded(other) } ?? false
    }

    /// How many people of the organization sign in by the realm, as its names are matched.
    package struct Reach: Codable, Equatable, Sendable {
        /// Who may sign in and has a name that means nobody else.
        package var people = 0
        /// Who may sign in and has the same name as somebody else, so that it means nobody.
        package var ambiguous = 0

        package init() {}
    }

    package func reach(in organization: OrganizationID, _ transaction: some Transaction) throws -> Reach {
        var reach = Reach()
        switch matching {
        case .userName:
            // A domain holds no `%` and no `_`. Without a domain, a user name with an @ is none that a ticket has.
            reach.people =
                try transaction.first(
                    """
                    SELECT COUNT(*) FROM person
                    WHERE organization_id = $1 AND state <> 'deactivated' AND deleted_at IS NULL
                        AND user_name \(domain == nil ? "NOT LIKE" : "LIKE") $2
                    """, [organization, domain.map { "_%@\($0)" } ?? "%@%"]
                ) { try $0[0] as Int } ?? 0
        case .sisUserName: reach = try countNames(in: "sis_username", organization, transaction)
        case .personNumber: reach = try countNames(in: "person_number", organization, transaction)
        }
        return reach
    }

    private func countNames(
        in column: String, _ organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Reach {
        try transaction.first(
            """
            SELECT COALESCE(SUM(CASE WHEN records = 1 THEN able ELSE 0 END), 0) AS people,
                   COALESCE(SUM(CASE WHEN records > 1 THEN able ELSE 0 END), 0) AS ambiguous
            FROM (
                SELECT COUNT(*) AS records, SUM(CASE WHEN state <> 'deactivated' THEN 1 ELSE 0 END) AS able
                FROM person
                WHERE organization_id = $1 AND \(column) IS NOT NULL AND deleted_at IS NULL
                GROUP BY lower(\(column))
            ) AS names
            """, [organization]
        ) { row in
            var reach = Reach()
            reach.people = try row["people"]
            reach.ambiguous = try row["ambiguous"]
            return reach
        } ?? Reach()
    }
}
