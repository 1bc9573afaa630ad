import Foundation
import Storage

/// A school, a building, an office: where people hold their roles.
package struct Location: Equatable, Sendable {
    package let id: LocationID
    package let organizationID: OrganizationID
    package let source: RecordSource
    /// `location_id` of the CSV files.
    package let sourceID: String?
    package let name: String
    package let domainName: String?
    /// IANA name.
    package let timeZone: String?
    /// The password policy of new pupils whose row has none.
    package let studentPasswordPolicy: PasswordPolicy?
    package let createdAt: Date
    package let modifiedAt: Date

    static let columns = """
        id, organization_id, source, source_id, name, domain_name, time_zone, student_password_policy,
        created_at, modified_at
        """

    init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        source = try row["source"]
        sourceID = try row["source_id"]
        name = try row["name"]
        domainName = try row["domain_name"]
        timeZone = try row["time_zone"]
        studentPasswordPolicy = try row["student_password_policy"]
        createdAt = try row["created_at"]
        modifiedAt = try row["modified_at"]
    }
}

/// Who maintains a record.
package enum RecordSource: String, Sendable, SQLConvertible, Codable, CaseIterable {
    case manual
    /// The import of CSV files; it may change and deactivate the record.
    case csv
}

extension Location {
    package static func insert(
        in organization: OrganizationID,
        sourceID: String? = nil,
        name: String,
        domainName: String? = nil,
        timeZone: String? = nil,
        studentPasswordPolicy: PasswordPolicy? = nil,
        at now: Date,
        in transaction: WriteTransaction
    ) throws -> Location {
        try check(timeZone: timeZone)
        return try transaction.first(
            """
            INSERT INTO location (organization_id, source, source_id, name, domain_name, time_zone,
                                  student_password_policy, created_at, modified_at)
            VALUES ($1, 'manual', $2, $3, $4, $5, $6, $7, $7)
            RETURNING \(columns)
            """,
            [
                organization,
                try FieldRule.sourceID.checkIfPresent(sourceID, field: "location id"),
                try FieldRule.name.check(name, field: "location name"),
                try FieldRule.domainName.checkIfPresent(domainName, field: "domain"),
                timeZone, studentPasswordPolicy, now,
            ],
            Location.init
        )!  // an insert without conflict clause returns its row
    }

    /// As ``find(_:in:_:)``, and archived ones too.
    package static func findAlsoArchived(
        _ id: LocationID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Location? {
        try transaction.first(
            "SELECT \(columns) FROM location WHERE id = $1 AND organization_id = $2", [id, organization],
            Location.init)
    }

    package static func find(
        _ id: LocationID, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Location? {
        try transaction.first(
            "SELECT \(columns) FROM location WHERE id = $1 AND organization_id = $2 AND archived_at IS NULL",
            [id, organization], Location.init)
    }

    package static func find(
        sourceID: String, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> Location? {
        try transaction.first(
            "SELECT \(columns) FROM location WHERE source_id = $1 AND organization_id = $2 AND archived_at IS NULL",
            [sourceID, organization], Location.init)
    }

    /// The next `limit` locations after `last` that have the text in a name, the location id or the domain, by id.
    /// - Parameter text: nil for all.
    package static func page(
        of organization: OrganizationID, matching text: String? = nil, after last: LocationID = .none, limit: Int,
        in transaction: some Transaction
    ) throws -> [Location] {
        guard let text else { return try batch(of: organization, after: last, limit: limit, in: transaction) }
        var found: [Location] = []
        var last = last
        while found.count < limit {
            let batch = try batch(of: organization, after: last, limit: batchMax, in: transaction)
            found += batch.filter { FoldedText.isIn([$0.name, $0.sourceID, $0.domainName], text) }
                .prefix(limit - found.count)
            guard batch.count == batchMax, let end = batch.last else { break }
            last = end.id
        }
        return found
    }

    private static let batchMax = 500

    private static func batch(
        of organization: OrganizationID, after last: LocationID, limit: Int, in transaction: some Transaction
    ) throws -> [Location] {
        try transaction.all(
            """
            SELECT \(columns) FROM location
            WHERE organization_id = $1 AND id > $2 AND archived_at IS NULL
            ORDER BY id
            LIMIT $3
            """,
            [organization, last, limit], Location.init)
    }
}
