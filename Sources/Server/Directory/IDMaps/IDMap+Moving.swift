import Foundation
import Storage

extension IDMap {
    /// How many moves one statement writes.
    private static let batch = 500

    /// Moves the records. The plan must have been made in the same transaction, and have no problems.
    package func carryOut(_ plan: IDMovePlan, in transaction: WriteTransaction) throws {
        precondition(plan.problems.isEmpty, "a map with problems must change nothing")
        for start in stride(from: 0, to: plan.steps.count, by: Self.batch) {
            let steps = plan.steps[start..<min(start + Self.batch, plan.steps.count)]
            let rows = steps.indices.map { index in
                let first = (index - start) * 4 + 2
                return "($1, $\(first), $\(first + 1), $\(first + 2), $\(first + 3))"
            }
            try transaction.execute(
                """
                INSERT INTO id_move (map_id, kind, record_id, old_id, new_id)
                VALUES \(rows.joined(separator: ", "))
                """,
                [id] + steps.flatMap { [$0.move.kind, $0.record, $0.move.old, $0.move.new] as [any SQLConvertible] })
        }
        try move(from: "old_id", to: "new_id", in: transaction)
    }

    /// Gives the records back the ids that they had before.
    /// - Throws: ``DirectoryError/idMapStands(_:reason:)`` if something was built on the new ones.
    package func takeBack(at now: Date, in transaction: WriteTransaction) throws {
        try checkNothingIsBuiltOnIt(in: transaction)
        try move(from: "new_id", to: "old_id", in: transaction)
        try transaction.execute("UPDATE id_map SET undone_at = $2 WHERE id = $1", [id, now])
    }

    /// All ids are taken away first: two records may change theirs with each other, and a key is unique at any moment.
    private func move(from old: String, to new: String, in transaction: WriteTransaction) throws {
        for kind in try counts(in: transaction).keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let table = kind.rawValue
            try transaction.execute(
                """
                UPDATE \(table) SET source_id = NULL
                WHERE id IN (SELECT record_id FROM id_move WHERE map_id = $1 AND kind = $2)
                """, [id, kind])
            try transaction.execute(
                """
                UPDATE \(table) SET source_id = m.\(new)
                FROM id_move AS m
                WHERE m.map_id = $1 AND m.kind = $2 AND m.record_id = \(table).id
                """, [id, kind])
        }
        try PersonMerge.follow(
            movesOfMergedPeople(from: old, to: new, in: transaction), in: organizationID, transaction)
    }

    private func movesOfMergedPeople(
        from old: String, to new: String, in transaction: some Transaction
    ) throws -> [PersonID: (old: String, new: String)] {
        var moves: [PersonID: (old: String, new: String)] = [:]
        try transaction.forEach(
            """
            SELECT DISTINCT m.record_id, m.\(old) AS former_id, m.\(new) AS present_id
            FROM person_merge AS g
            JOIN id_move AS m ON m.map_id = $1 AND m.kind = 'person' AND m.record_id = g.kept_id
            """, [id]
        ) { moves[try $0["record_id"]] = (try $0["former_id"], try $0["present_id"]) }
        return moves
    }

    private func checkNothingIsBuiltOnIt(in transaction: some Transaction) throws {
        func refusal(_ reason: String) -> DirectoryError { .idMapStands(id, reason: reason) }
        guard undoneAt == nil else { throw refusal("it is taken back already") }
        if let later = try Self.newest(of: organizationID, since: 0, in: transaction), later.id != id {
            throw refusal("id map \(later.id) was applied since; take that back first")
        }
        let built = try transaction.first(
            """
            SELECT MAX(id) FROM roster_import WHERE organization_id = $1 AND id > $2 AND undone_at IS NULL
            """, [organizationID, lastImport]
        ) { try $0[0] as Int64? }
        if let built = built.flatMap(\.self) {
            throw refusal("import \(built) was made with its ids; take that back first")
        }
        for kind in try counts(in: transaction).keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let table = kind.rawValue
            let changed = try transaction.first(
                """
                SELECT m.record_id FROM id_move AS m
                LEFT JOIN \(table) AS r ON r.id = m.record_id AND r.source_id = m.new_id
                WHERE m.map_id = $1 AND m.kind = $2 AND r.id IS NULL ORDER BY m.record_id LIMIT 1
                """, [id, kind]
            ) { try $0[0] as Int64 }
            if let changed { throw refusal("\(kind.name(of: changed)) has another id by now, or is gone") }
            let holder = try transaction.first(
                """
                SELECT r.id FROM id_move AS m
                JOIN \(table) AS r ON r.organization_id = $3 AND r.source_id = m.old_id
                WHERE m.map_id = $1 AND m.kind = $2
                  AND NOT EXISTS (
                      SELECT 1 FROM id_move AS o WHERE o.map_id = $1 AND o.kind = $2 AND o.record_id = r.id
                  )
                ORDER BY r.id LIMIT 1
                """, [id, kind, organizationID]
            ) { try $0[0] as Int64 }
            if let holder { throw refusal("\(kind.name(of: holder)) has got one of the former ids") }
        }
    }
}
