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
            UPDATE location SET
                source = u.source,
                name = u.name,
                -- Somebody may have removed the location by hand since: that stays.
                archived_at = CASE
                    WHEN u.archived_at IS NULL AND location.archived_at <> i.applied_at THEN location.archived_at
                    ELSE u.archived_at
                END,
                modified_at = $2
            FROM undo_location AS u
            JOIN roster_import AS i ON i.id = u.import_id
            WHERE u.import_id = $1 AND location.id = u.location_id
            """,
            [importID, now])
        let restoredForUse = try restoreRemovedLocations()
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
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored + restoredForUse)
    }

    /// Brings locations back that were removed by hand when the import had left nobody there, and where people or classes
    /// are again now.
    ///
    /// - Returns: how many
    private func restoreRemovedLocations() throws -> Int {
        try transaction.execute(
            """
            UPDATE location SET archived_at = NULL, modified_at = $3
            WHERE organization_id = $1 AND archived_at IS NOT NULL
              AND NOT EXISTS (
                  SELECT 1 FROM undo_location AS u
                  WHERE u.import_id = $2 AND u.location_id = location.id AND u.archived_at IS NOT NULL
              )
              AND (
                  EXISTS (
                      SELECT 1 FROM role_assignment AS r
                      JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
                      WHERE r.location_id = location.id AND \(RolePeriod.isNotOver("r", at: "$3")) AND (
                          EXISTS (SELECT 1 FROM undo_role AS u WHERE u.import_id = $2 AND u.person_id = p.id)
                          OR EXISTS (SELECT 1 FROM undo_person AS u WHERE u.import_id = $2 AND u.person_id = p.id)
                      )
                  )
                  OR EXISTS (
                      SELECT 1 FROM undo_class AS u
                      JOIN class AS k ON k.id = u.class_id AND k.archived_at IS NULL
                      WHERE u.import_id = $2 AND (
                          k.location_id = location.id
                          OR k.course_id IN (SELECT c.id FROM course AS c WHERE c.location_id = location.id)
                      )
                  )
                  -- A class can be elsewhere than its course, and not be touched by an import that moves the course.
                  OR EXISTS (
                      SELECT 1 FROM undo_course AS u
                      JOIN course AS c ON c.id = u.course_id AND c.location_id = location.id
                      JOIN class AS k ON k.course_id = c.id AND k.archived_at IS NULL
                      WHERE u.import_id = $2
                  )
              )
            """, [organization, importID, now])
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
