import Storage

extension RosterDifferences {
    /// A location of the same id that was made by hand is the source's from now on.
    func compareLocations() throws {
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
            WHERE l.organization_id = $1 AND l.source = 'csv' AND l.archived_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM known_location AS k WHERE k.id = l.id)
            """,
            [organization])
    }

    /// Locations that the files no longer name while records made by hand are still there. A class that an import
    /// emptied and nobody has filled since does not count: it would hold its school open for ever.
    func reportLocationsInUse(to defects: DefectLog) throws {
        try transaction.forEach(
            """
            SELECT l.source_id, l.name
            FROM location AS l
            WHERE l.organization_id = $1 AND l.source = 'csv' AND l.archived_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM known_location AS k WHERE k.id = l.id)
              AND (
                  EXISTS (
                      SELECT 1 FROM role_assignment AS r
                      JOIN person AS p ON p.id = r.person_id AND p.state <> 'deactivated'
                      WHERE r.location_id = l.id AND (r.source = 'manual' OR p.source = 'manual')
                  )
                  OR EXISTS (
                      SELECT 1 FROM class AS k
                      WHERE k.location_id = l.id AND k.source = 'manual' AND k.archived_at IS NULL
                        AND (k.source_id IS NULL OR EXISTS (SELECT 1 FROM class_student AS m WHERE m.class_id = k.id))
                  )
                  OR EXISTS (
                      SELECT 1 FROM course AS c
                      WHERE c.location_id = l.id AND c.source = 'manual' AND c.archived_at IS NULL
                  )
              )
            ORDER BY l.id
            """,
            [organization]
        ) { row in
            let (sourceID, name): (String, String) = (try row[0], try row[1])
            defects.report(
                .locationInUse, in: RosterFile.locations.name, column: RosterColumn.locationID.name,
                value: sourceID,
                """
                The file does not name \(Defect.printable(name)) any more, but roles or classes made by hand are still \
                there.
                """,
                remedy: "Add the location again, or move those people and classes to another.")
        }
    }
}
