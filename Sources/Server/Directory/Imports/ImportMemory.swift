import Foundation
import Storage

/// The rows that undo imports. Those of an import are kept until it is undone, is too old, or is followed by too many.
package enum ImportMemory {
    /// For how many days an import can be undone: a school year and the summer after it.
    package static let days = 400
    /// How many imports of an organization can be undone, the newest ones. A nightly import changes little, but a
    /// hundred of them may.
    package static let countMax = 100

    /// Drops what undoes one import, which has just been undone.
    package static func drop(_ importID: Int, in transaction: WriteTransaction) throws {
        try drop(where: "id = $1", [importID], in: transaction)
    }

    /// Forgets the imports of an organization that are followed by ``countMax`` others.
    /// - Parameter importID: the newest one.
    package static func forget(
        of organization: OrganizationID, before importID: Int, at now: Date, in transaction: WriteTransaction
    ) throws {
        let newest = try transaction.first(
            """
            SELECT id FROM roster_import
            WHERE organization_id = $1 AND id < $2 AND forgotten_at IS NULL AND undone_at IS NULL
            ORDER BY id DESC LIMIT 1 OFFSET \(countMax - 1)
            """, [organization, importID]
        ) { try $0[0] as Int }
        guard let newest else { return }
        try forget("organization_id = $1 AND id <= $2", [organization, newest], at: now, in: transaction)
    }

    /// Whether an import is too old to be undone, and that has not been noted.
    package static func hasOld(at now: Date, in transaction: some Transaction) throws -> Bool {
        try transaction.exists("SELECT 1 FROM roster_import WHERE applied_at <= $1 AND \(isKept)", [limit(now)])
    }

    package static func forgetOld(at now: Date, in transaction: WriteTransaction) throws {
        try forget("applied_at <= $1", [limit(now)], at: now, in: transaction)
    }

    private static let isKept = "forgotten_at IS NULL AND undone_at IS NULL"

    private static func limit(_ now: Date) -> Date { now.addingTimeInterval(-Double(days) * 86_400) }

    private static func forget(
        _ condition: String, _ values: [any SQLConvertible], at now: Date, in transaction: WriteTransaction
    ) throws {
        try drop(where: "\(condition) AND \(isKept)", values, in: transaction)
        try transaction.execute(
            "UPDATE roster_import SET forgotten_at = $\(values.count + 1) WHERE \(condition) AND \(isKept)",
            values + [now])
    }

    private static func drop(
        where condition: String, _ values: [any SQLConvertible], in transaction: WriteTransaction
    ) throws {
        for table in ["location", "person", "role", "course", "class", "instructor", "student"] {
            try transaction.execute(
                "DELETE FROM undo_\(table) WHERE import_id IN (SELECT id FROM roster_import WHERE \(condition))",
                values)
        }
    }
}
