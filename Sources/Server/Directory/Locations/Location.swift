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
    /// Since when it is removed: apps and lists have it no more, and nobody gets a role or a class at it. Nil for all others.
    package let archivedAt: Date?

    static let columns: String = [
        "id", "organization_id", "source", "source_id", "name", "domain_name", "time_zone", "student_password_policy",
        "created_at", "modified_at", "archived_at",
    ].map { "location.\($0)" }.joined(separator: ", ")

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
        archivedAt = try row["archived_at"]
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

    /// The next `limit` locations after `last` that the text finds, by id.
    /// - Parameters:
    ///   - text: words that find locations, see ``Search``; nil for all.
    ///   - isArchived: whether those are meant that are removed, in place of the others.
    ///   - readAllMax: how many locations an organization may have for a search to read all of them.
    package static func page(
        of organization: OrganizationID, matching text: String? = nil, isArchived: Bool = false,
        after last: LocationID = .none, limit: Int, readingAllUpTo readAllMax: Int? = nil,
        in transaction: some Transaction
    ) throws -> [Location] {
        func batch(_ candidates: Candidates<Location>, _ last: LocationID, _ limit: Int) throws -> [Location] {
            try self.batch(
                of: organization, among: candidates, isArchived: isArchived, after: last, limit: limit, in: transaction)
        }
        guard let search = try text.map(Search<Location>.init), !search.isEmpty else {
            return try batch(.all, last, limit)
        }
        return try search.page(
            of: organization, after: last, limit: limit, readingAllUpTo: readAllMax ?? Search<Location>.readAllMax,
            in: transaction, batch: batch)
    }

    private static func batch(
        of organization: OrganizationID, among candidates: Candidates<Location>, isArchived: Bool,
        after last: LocationID,
        limit: Int, in transaction: some Transaction
    ) throws -> [Location] {
        var parameters: [any SQLConvertible] = [organization, last, limit]
        let conditions = candidates.conditions { value in
            parameters.append(value)
            return "$\(parameters.count)"
        }
        return try transaction.all(
            """
            SELECT \(columns) FROM \(candidates.tables)
            WHERE \(
                ([
                    "location.organization_id = $1", "\(candidates.key) > $2",
                    "location.archived_at IS \(isArchived ? "NOT NULL" : "NULL")",
                ] + conditions).joined(separator: " AND "))
            ORDER BY \(candidates.key)
            LIMIT $3
            """,
            parameters, planned: candidates.planning, Location.init)
    }
}
