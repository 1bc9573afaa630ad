import Directory
import Storage

/// The places of a business's people. There is no locations.csv: a cell of staff.csv names a location that was made by
/// hand, and who has none is at the business itself.
enum BusinessPlaces {
    /// The line of the business itself among the staged locations, which has no row there. Its id in roles is 0 too.
    static let lineOfBusiness = 0

    /// Stages the locations that the rows may name. Call before references are checked.
    static func stage(of organization: OrganizationID, in session: DatabaseSession) throws {
        try session.read { transaction in
            try transaction.forEach(
                """
                INSERT INTO staged_location (line, source_id, name)
                SELECT id, source_id, name FROM location
                WHERE organization_id = $1 AND source_id IS NOT NULL AND archived_at IS NULL
                """,
                [organization]
            ) { _ in }
        }
    }

    /// Puts whoever has no place in the row at the business itself. Call after
    /// ``RosterResolver/resolveClassesAndRoles()``.
    static func resolve(in session: DatabaseSession) throws {
        try session.script(
            """
            INSERT INTO wanted_role (person, location, role, position)
            SELECT s.n, \(lineOfBusiness), 'staff', 1
            FROM staged_person AS s
            WHERE NOT EXISTS (SELECT 1 FROM staged_place AS place WHERE place.person = s.n)
            """)
    }
}
