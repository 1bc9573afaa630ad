import Authorization
import Directory
import Foundation
import Storage

/// The record of a change that can be undone: the change that undoes it, and the version in which it left its subject.
/// Undoing is refused if the subject was changed again afterwards.
struct ChangeRecord: Sendable {
    let id: Int64
    let organization: OrganizationID?
    /// As the audit trail writes it, for example `person:12`.
    let actor: String
    let team: TeamID?
    let operation: String
    let undoOperation: String
    /// The input of the undoing operation as JSON.
    let undoInput: String
    let version: String?
    let undoneAt: Date?

    var isOperators: Bool { actor == Actor.operator.text }

    static func insert<C: Change>(
        _: C.Type, about subject: some OperationSubject, undo: any Change, in act: Act
    ) throws -> Int64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Take the version from the undoing change's own subject: a person who was just created was not the subject of
        // the change.
        let version = try Self.version(after: undo, in: act)
        return try act.transaction.first(
            """
            INSERT INTO administration_change
                (organization_id, team_id, at, actor, operation, subject, undo_operation, undo_input, version)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            RETURNING id
            """,
            [
                subject.subjectOrganization ?? .none, subject.subjectTeam, act.now, act.actor.text, C.name,
                subject.auditName,
                type(of: undo).name, String(decoding: try encoder.encode(undo), as: UTF8.self), version,
            ]
        ) { try $0["id"] }!  // an insert without conflict clause returns its row
    }

    private static func version<C: Change>(after undo: C, in act: Act) throws -> String? {
        try undo.subject(in: act.context, act.transaction).version(in: act.transaction)
    }

    static func find(_ id: Int64, in transaction: some Transaction) throws -> ChangeRecord? {
        try transaction.first(
            """
            SELECT id, organization_id, team_id, actor, operation, undo_operation, undo_input, version, undone_at
            FROM administration_change WHERE id = $1
            """, [id]
        ) { row in
            let organization: OrganizationID = try row["organization_id"]
            return ChangeRecord(
                id: try row["id"], organization: organization == .none ? nil : organization,
                actor: try row["actor"], team: try row["team_id"],
                operation: try row["operation"], undoOperation: try row["undo_operation"],
                undoInput: try row["undo_input"], version: try row["version"], undoneAt: try row["undone_at"])
        }
    }

    /// - Returns: false if it was undone before.
    func markUndone(at now: Date, in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute(
            "UPDATE administration_change SET undone_at = $2 WHERE id = $1 AND undone_at IS NULL", [id, now]) > 0
    }
}
