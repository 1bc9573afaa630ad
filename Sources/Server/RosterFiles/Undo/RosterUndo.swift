import Directory
import Foundation
import Storage

/// Restores the records of an organization to their state before an import, from what the import kept.
struct RosterUndo {
    let organization: OrganizationID
    let importID: Int
    let now: Date
    let transaction: WriteTransaction

    func run() throws -> UndoReport {
        var report = UndoReport(importID: importID)
        report.memberships = try undoMemberships()
        try undoInstructors()
        report.classes = try undoClasses()
        try undoRoles()
        report.people = try undoPeople()
        report.courses = try undoCourses()
        report.locations = try undoLocations()
        return report
    }

    // MARK: Places

    private func undoLocations() throws -> UndoReport.Counts {
        let restored = try transaction.execute(
            """
            UPDATE location SET source = u.source, name = u.name, archived_at = u.archived_at, modified_at = $2
            FROM undo_location AS u
            WHERE u.import_id = $1 AND location.id = u.location_id
            """,
            [importID, now])
        // A location stays if somebody has added people or classes to it by hand since.
        let withdrawn = try transaction.execute(
            """
            UPDATE location SET archived_at = $3, modified_at = $3
            WHERE organization_id = $1 AND import_id = $2 AND source = 'csv' AND archived_at IS NULL
              AND NOT EXISTS (
                  SELECT 1 FROM role_assignment AS r
                  WHERE r.location_id = location.id AND r.source = 'manual' AND \(RolePeriod.isNotOver("r", at: "$3"))
              )
              AND NOT EXISTS (
                  SELECT 1 FROM class AS k
                  WHERE k.location_id = location.id AND k.source = 'manual' AND k.archived_at IS NULL
              )
            """,
            [organization, importID, now])
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored)
    }

    private func undoCourses() throws -> UndoReport.Counts {
        let restored = try transaction.execute(
            """
            UPDATE course SET
                source = u.source,
                number = u.number,
                name = u.name,
                location_id = u.location_id,
                archived_at = u.archived_at,
                modified_at = $2
            FROM undo_course AS u
            WHERE u.import_id = $1 AND course.id = u.course_id
            """,
            [importID, now])
        let withdrawn = try transaction.execute(
            """
            UPDATE course SET archived_at = $3, modified_at = $3
            WHERE organization_id = $1 AND import_id = $2 AND source = 'csv' AND archived_at IS NULL
            """,
            [organization, importID, now])
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored)
    }
}
