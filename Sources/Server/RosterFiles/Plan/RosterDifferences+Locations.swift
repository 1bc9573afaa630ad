import Directory
import Foundation
import Ground
import Storage

extension RosterDifferences {
    /// A location with the same id that was created by hand is maintained by imports from now on.
    func compareLocations() throws {
        // The locations of a business stay its own: no file has them.
        guard scope.kind == .school else { return }
        try write(
            """
            INSERT INTO location_difference (id, line, effect)
            SELECT l.id, s.line, CASE WHEN l.archived_at IS NULL THEN 'changed' ELSE 'reactivated' END
            FROM known_location AS k
            JOIN staged_location AS s ON s.line = k.line
            JOIN location AS l ON l.id = k.id
            WHERE l.source = 'manual' OR l.archived_at IS NOT NULL OR l.name <> s.name
            """)
        try write(
            """
            INSERT INTO location_difference (id, line, effect)
            SELECT l.id, NULL, 'missing'
            FROM location AS l
            WHERE l.organization_id = $1 AND l.source = 'csv' AND l.archived_at IS NULL AND \(scope.contains("l.id"))
              AND NOT EXISTS (SELECT 1 FROM known_location AS k WHERE k.id = l.id)
            """,
            [organization])
    }

    /// Reports locations that the files no longer name although records created by hand are still there, or classes
    /// that somebody has restored. A role that is over holds up no import.
    func reportLocationsInUse(to defects: DefectLog, at now: Date) throws {
        // The files of single schools name them all, or have a defect.
        guard scope.isWhole else { return }
        let found = try transaction.all(
            """
            SELECT l.id, l.source_id, l.name
            FROM location AS l
            WHERE l.organization_id = $1 AND l.source = 'csv' AND l.archived_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM known_location AS k WHERE k.id = l.id)
              AND (
                  EXISTS (
                      SELECT 1 FROM role_assignment AS r
                      JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
                      WHERE r.location_id = l.id AND (r.source = 'manual' OR p.source = 'manual')
                        AND \(RolePeriod.isNotOver("r", at: "$2"))
                  )
                  OR EXISTS (
                      SELECT 1 FROM class AS k
                      WHERE k.location_id = l.id AND \(Self.isKeptByHand)
                  )
                  OR EXISTS (
                      SELECT 1 FROM course AS c
                      WHERE c.location_id = l.id AND c.source = 'manual' AND c.archived_at IS NULL
                  )
              )
            ORDER BY l.id
            """,
            [organization, now]
        ) { (id: try $0["id"] as Int, sourceID: try $0["source_id"] as String, name: try $0["name"] as String) }
        for location in found {
            let names = try namesOfManualRecords(at: location.id, now).map(Defect.printable)
            let shown = names.prefix(Self.namesShown).joined(separator: ", ")
            defects.report(
                .locationInUse, in: RosterFile.locations.name, column: RosterColumn.locationID.name,
                value: location.sourceID,
                """
                The file does not name \(Defect.printable(location.name)) any more, but roles or classes made by hand are \
                still there: \(shown)\(names.count > Self.namesShown ? " and more" : "").
                """,
                remedy: """
                    Add the location again, or move those people and classes to another: `lanyard person list --at` lists \
                    who is there.
                    """)
        }
    }

    private static var isKeptByHand: String {
        "(k.source = 'manual' OR k.missing_since IS NOT NULL) AND k.archived_at IS NULL"
    }

    private static var namesShown: Int { 5 }

    /// A few of the records created by hand at the location, for the message: user names, classes and courses.
    private func namesOfManualRecords(at location: Int, _ now: Date) throws -> [String] {
        try transaction.all(
            """
            SELECT name FROM (
                SELECT 1 AS kind, p.id AS id, p.user_name AS name
                FROM person AS p
                WHERE p.state <> 'deactivated' AND EXISTS (
                    SELECT 1 FROM role_assignment AS r
                    WHERE r.person_id = p.id AND r.location_id = $1 AND (r.source = 'manual' OR p.source = 'manual')
                      AND \(RolePeriod.isNotOver("r", at: "$2"))
                )
                UNION ALL
                SELECT 2, k.id, 'class ' || k.name
                FROM class AS k
                WHERE k.location_id = $1 AND \(Self.isKeptByHand)
                UNION ALL
                SELECT 3, c.id, 'course ' || COALESCE(c.name, c.number, c.source_id, '')
                FROM course AS c
                WHERE c.location_id = $1 AND c.source = 'manual' AND c.archived_at IS NULL
            ) AS records
            ORDER BY kind, id
            LIMIT \(Self.namesShown + 1)
            """,
            [location, now]
        ) { try $0[0] }
    }
}
