import Directory
import Storage

extension RosterUndo {
    func undoRoles() throws {
        try transaction.execute(
            "DELETE FROM role_assignment WHERE organization_id = $1 AND import_id = $2 AND source = 'csv'",
            [organization, importID])
        // Roles given by hand get their former position back, and count as given by hand again if the import had adopted
        // them. An import takes none of them away, so one that is gone was taken away by hand, and does not come back.
        try transaction.execute(
            """
            UPDATE role_assignment SET position = u.position, source = 'manual'
            FROM undo_role AS u
            JOIN person AS p ON p.id = u.person_id AND p.source = 'csv'
            WHERE u.import_id = $1 AND u.source = 'manual' AND role_assignment.person_id = u.person_id
              AND role_assignment.location_id = u.location_id AND role_assignment.role = u.role
            """, [importID])
        // Those of former files come back. Roles given by hand since then stay, with their days.
        try transaction.execute(
            """
            INSERT INTO role_assignment (
                person_id, location_id, role, roster_role, organization_id, source, position, import_id
            )
            SELECT u.person_id, u.location_id, u.role, u.roster_role, $1, u.source, u.position, u.added_by
            FROM undo_role AS u
            JOIN person AS p ON p.id = u.person_id AND p.source = 'csv'
            WHERE u.import_id = $2 AND u.source <> 'manual'
            ON CONFLICT (person_id, location_id, role) DO UPDATE
            SET position = EXCLUDED.position,
                source = CASE WHEN role_assignment.source = 'manual' THEN 'manual' ELSE EXCLUDED.source END
            """,
            [organization, importID])
    }

    func undoPeople() throws -> UndoReport.Counts {
        let withdrawn = try withdrawPeople()
        try releaseIdentifiers()
        let restored = try transaction.execute(
            """
            UPDATE person SET
                source = u.source,
                source_id = COALESCE(u.source_id, person.source_id),
                given_name = u.given_name,
                middle_name = u.middle_name,
                family_name = u.family_name,
                email = u.email,
                grade = u.grade,
                person_number = u.person_number,
                sis_username = u.sis_username,
                password_policy = u.password_policy,
                -- Somebody may have activated or deactivated the account by hand since: that stays.
                state = CASE
                    WHEN u.effect = 'missing' AND person.missing_since IS NOT NULL AND person.state = 'deactivated'
                    THEN u.state
                    ELSE person.state
                END,
                deactivated_at = CASE
                    WHEN u.effect = 'missing' AND person.missing_since IS NOT NULL AND person.state = 'deactivated'
                    THEN u.deactivated_at
                    ELSE person.deactivated_at
                END,
                missing_since = CASE WHEN u.effect = 'reactivated' THEN person.missing_since ELSE u.missing_since END,
                modified_at = $2
            FROM undo_person AS u
            WHERE u.import_id = $1 AND person.id = u.person_id
              AND CASE
                  WHEN u.source_id IS NULL THEN person.source = 'csv'
                  ELSE NOT EXISTS (
                      SELECT 1 FROM person AS holder
                      WHERE holder.organization_id = person.organization_id AND holder.source_id = u.source_id
                  )
              END
            """,
            [importID, now])
        try touchClasses()
        return UndoReport.Counts(withdrawn: withdrawn, restored: restored)
    }

    /// Takes an id that had passed to a new person back, unless that account was edited by hand since. If a later
    /// import passes the id on again, it creates another account: nothing shows that it is the same person.
    private func releaseIdentifiers() throws {
        try transaction.execute(
            """
            UPDATE person SET source = 'manual', source_id = NULL
            WHERE organization_id = $1 AND import_id = $2 AND source = 'csv' AND state = 'deactivated'
              AND source_id IN (SELECT source_id FROM undo_person WHERE import_id = $2)
            """,
            [organization, importID])
    }

    /// Moves `modified_at` of classes in which apps see someone again, or no longer.
    private func touchClasses() throws {
        try RosterClass.touch(
            withMembers:
                "SELECT person_id FROM undo_person WHERE import_id = $2 AND effect IN ('missing', 'reactivated')",
            [importID], at: now, in: transaction)
    }

    /// Deactivates people whom the import added or reactivated, but not the last Administrator.
    private func withdrawPeople() throws -> Int {
        let withdrawn = """
            person.organization_id = $1 AND person.source = 'csv' AND person.state <> 'deactivated'
            AND (
                person.import_id = $2
                OR EXISTS (
                    SELECT 1 FROM undo_person AS u
                    WHERE u.import_id = $2 AND u.person_id = person.id AND u.effect = 'reactivated'
                )
            )
            """
        let kept = try lastAdministrator(among: withdrawn) ?? 0
        try Departure.note(
            "SELECT id FROM person WHERE \(withdrawn) AND id <> $3", [organization, importID, kept], at: now,
            in: transaction)
        let added = try transaction.first(
            "SELECT COUNT(*) FROM person WHERE \(withdrawn) AND import_id = $2 AND id <> $3",
            [organization, importID, kept]
        ) { try $0[0] as Int }
        try transaction.execute(
            """
            UPDATE person SET
                state = 'deactivated',
                deactivated_at = COALESCE(
                    (SELECT u.deactivated_at FROM undo_person AS u WHERE u.import_id = $2 AND u.person_id = person.id),
                    $4),
                missing_since = COALESCE(
                    (SELECT u.missing_since FROM undo_person AS u WHERE u.import_id = $2 AND u.person_id = person.id),
                    $4),
                modified_at = $4
            WHERE \(withdrawn) AND id <> $3
            """,
            [organization, importID, kept, now])
        return added ?? 0
    }

    private func lastAdministrator(among withdrawn: String) throws -> Int? {
        let administrators = """
            FROM person
            JOIN role_assignment AS r ON r.person_id = person.id AND r.role = 'administrator'
                AND \(RolePeriod.isLasting("r", at: "$3"))
            WHERE person.organization_id = $1 AND person.state <> 'deactivated'
            """
        let others = try transaction.exists(
            "SELECT 1 \(administrators) AND person.id NOT IN (SELECT id FROM person WHERE \(withdrawn))",
            [organization, importID, now])
        guard !others else { return nil }
        return try transaction.first("SELECT MIN(person.id) \(administrators)", [organization, importID, now]) {
            try $0[0] as Int?
        }
            ?? nil
    }
}
