import Foundation
import Storage

/// The six files of an import, kept as a ZIP archive in sealed parts, so that they can be imported again and compared.
///
/// They have names of children who may have been erased since. So whatever erases a person also deletes the files that
/// may name the person, see ``whereNaming(_:)``.
package struct ImportFiles: Equatable, Sendable {
    /// How long they are kept, in days.
    package static let days = 90

    package let id: Int64
    package let keptAt: Date
    /// The size of the archive in bytes.
    package let byteCount: Int

    private static let columns = "id, kept_at, byte_count"

    private init(_ row: Row) throws {
        id = try row["id"]
        keptAt = try row["kept_at"]
        byteCount = try row["byte_count"]
    }

    /// The files of an import that was applied; nil if they are not kept.
    package static func find(
        of importID: Int64, in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> ImportFiles? {
        try transaction.first(
            "SELECT \(columns) FROM import_files WHERE organization_id = $1 AND import_id = $2",
            [organization, importID], ImportFiles.init)
    }

    /// The imports of an organization whose files are kept.
    package static func imports(
        of organization: OrganizationID, in transaction: some Transaction
    ) throws -> Set<Int64> {
        Set(
            try transaction.all(
                "SELECT import_id FROM import_files WHERE organization_id = $1 AND import_id IS NOT NULL",
                [organization]
            ) { try $0[0] })
    }

    /// The files of imports that are held, by the ids of their plans.
    package static func held(
        in organization: OrganizationID, _ transaction: some Transaction
    ) throws -> [String: ImportFiles] {
        Dictionary(
            try transaction.all(
                "SELECT \(columns), plan_id FROM import_files WHERE organization_id = $1 AND import_id IS NULL",
                [organization]
            ) { (try $0["plan_id"], try ImportFiles($0)) }, uniquingKeysWith: { $1 })
    }

    /// The number of the part that says what the import did or would do. Files that an earlier version kept have none.
    package static let reportNumber = -2
    /// The number of the part that says how the files were imported.
    package static let inputNumber = -1

    /// - Returns: nil if there is no such part
    package func sealedPart(_ number: Int, in transaction: some Transaction) throws -> [UInt8]? {
        try transaction.first(
            "SELECT sealed FROM import_files_part WHERE files_id = $1 AND number = $2", [id, number]
        ) { try $0[0] }
    }

    /// - Parameters:
    ///   - importID: nil for an import that is held, and `planID` for one that is not.
    ///   - part: the sealed part of a number: ``reportNumber``, ``inputNumber``, then those of the archive from 0 on;
    ///     nil after the last one.
    package static func insert(
        of importID: Int64?, plan planID: String?, in organization: OrganizationID, byteCount: Int, at now: Date,
        in transaction: WriteTransaction, part: (_ files: Int64, _ number: Int) throws -> [UInt8]?
    ) throws {
        let id = try transaction.first(
            """
            INSERT INTO import_files (organization_id, import_id, plan_id, kept_at, byte_count)
            VALUES ($1, $2, $3, $4, $5)
            RETURNING id
            """, [organization, importID, planID, now, byteCount]
        ) { try $0[0] as Int64 }!  // an insert without conflict clause returns its row
        var number = reportNumber
        while let sealed = try part(id, number) {
            try transaction.execute(
                "INSERT INTO import_files_part (files_id, number, sealed) VALUES ($1, $2, $3)", [id, number, sealed])
            number += 1
        }
    }

    // MARK: Ending

    /// Deletes the files of imports that do not wait for approval any more.
    package static func deleteApproved(of organization: OrganizationID, in transaction: WriteTransaction) throws {
        let held = try held(in: organization, transaction)
        guard !held.isEmpty else { return }
        let waiting = Set(try HeldImport.list(of: organization, in: transaction).compactMap(\.planID))
        for (planID, files) in held where !waiting.contains(planID) {
            try transaction.execute("DELETE FROM import_files WHERE id = $1", [files.id])
        }
    }

    /// SQL for the files that may name the person with the id `$1`:
    ///
    /// - files that were kept before an import found the person missing, or less than a day later, since both times are
    ///   those at which an import began
    /// - all files, if the person was never missing
    /// - files of imports that are held or were undone, since those can be old files once more
    package static let whereNaming = """
        organization_id = (SELECT organization_id FROM person WHERE id = $1)
        AND (
            import_id IS NULL
            OR EXISTS (SELECT 1 FROM roster_import AS i WHERE i.id = import_id AND i.undone_at IS NOT NULL)
            OR EXISTS (
                SELECT 1 FROM person AS p
                WHERE p.id = $1 AND (p.source <> 'csv' OR p.missing_since IS NULL OR p.missing_since + 86400 >= kept_at)
            )
        )
        """

    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM import_files WHERE \(isOld)", [limit(now), CalendarDay(now)])
    }

    package static func deleteOld(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("DELETE FROM import_files WHERE \(isOld)", [limit(now), CalendarDay(now)])
    }

    /// SQL for files that are old enough to be deleted, unless a legal hold on the whole organization keeps them.
    private static let isOld = """
        kept_at <= $1 AND NOT EXISTS (
            SELECT 1 FROM legal_hold AS hold
            WHERE hold.organization_id = import_files.organization_id AND hold.person_id IS NULL
              AND hold.ended_at IS NULL AND hold.last_day >= $2
        )
        """

    private static func limit(_ now: Date) -> Date { now.addingTimeInterval(-Double(days) * 86_400) }
}
