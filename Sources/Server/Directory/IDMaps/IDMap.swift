import Foundation
import Storage

/// New ids that many records of an organization have got at once, because its files come from another information
/// system. The records stay what they are, with accounts, passwords and what apps know of them; only the next import
/// finds them by other ids.
package struct IDMap: Equatable, Sendable {
    package let id: Int64
    package let organizationID: OrganizationID
    /// The newest import before it; 0 if there was none.
    package let lastImport: Int64
    package let appliedAt: Date
    package let undoneAt: Date?

    private static let columns = "id, organization_id, last_import_id, applied_at, undone_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        organizationID = try row["organization_id"]
        lastImport = try row["last_import_id"]
        appliedAt = try row["applied_at"]
        undoneAt = try row["undone_at"]
    }

    package static func find(
        _ id: Int64, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> IDMap? {
        try transaction.first(
            "SELECT \(columns) FROM id_map WHERE id = $1 AND organization_id = $2", [id, organization], IDMap.init)
    }

    /// The newest map that stands and was applied after an import.
    package static func newest(
        of organization: OrganizationID, since importID: Int, in transaction: some Transaction
    ) throws -> IDMap? {
        try transaction.first(
            """
            SELECT \(columns) FROM id_map
            WHERE organization_id = $1 AND last_import_id >= $2 AND undone_at IS NULL
            ORDER BY id DESC LIMIT 1
            """, [organization, importID], IDMap.init)
    }

    /// Begins a map: no record has moved yet.
    package static func insert(
        of organization: OrganizationID, at now: Date, in transaction: WriteTransaction
    ) throws -> IDMap {
        try transaction.first(
            """
            INSERT INTO id_map (organization_id, last_import_id, applied_at)
            SELECT $1, COALESCE(MAX(id), 0), $2 FROM roster_import WHERE organization_id = $1
            RETURNING \(columns)
            """, [organization, now], IDMap.init)!  // a query without GROUP BY has one row
    }

    /// How many records of each kind it has moved.
    package func counts(in transaction: some Transaction) throws -> [IDMove.Kind: Int] {
        let counted = try transaction.all(
            "SELECT kind, COUNT(*) AS number FROM id_move WHERE map_id = $1 GROUP BY kind", [id]
        ) { (try $0["kind"] as IDMove.Kind, try $0["number"] as Int) }
        return Dictionary(uniqueKeysWithValues: counted)
    }
}
