import Directory
import Storage

extension RosterApplication {
    func changePeople() throws {
        try transaction.execute(
            """
            INSERT INTO undo_person (
                import_id, person_id, effect, source, given_name, middle_name, family_name, email, grade,
                person_number, sis_username, password_policy, state, deactivated_at, missing_since, source_id
            )
            SELECT $1, p.id, CASE d.effect WHEN 'left_school' THEN 'changed' ELSE d.effect END, p.source,
                   p.given_name, p.middle_name, p.family_name, p.email, p.grade, p.person_number,
                   p.sis_username, p.password_policy, p.state, p.deactivated_at, p.missing_since,
                   CASE WHEN r.id IS NOT NULL THEN p.source_id END
            FROM person_difference AS d
            JOIN person AS p ON p.id = d.id
            LEFT JOIN replaced_person AS r ON r.id = d.id
            """,
            [importID])
        try updateNamedPeople()
        try deactivateMissingPeople()
        try releaseIdentifiers()
        try touchClasses()
    }

    /// Moves `modified_at` of classes in which apps stop or begin to see someone, also of classes whose memberships no
    /// file names.
    private func touchClasses() throws {
        try RosterClass.touch(
            withMembers: "SELECT id FROM person_difference WHERE effect IN ('missing', 'reactivated')", at: now,
            in: transaction)
    }

    private func updateNamedPeople() throws {
        try transaction.execute(
            """
            UPDATE person SET
                source = 'csv',
                given_name = s.given_name,
                middle_name = s.middle_name,
                family_name = s.family_name,
                email = s.email,
                grade = s.grade,
                person_number = s.person_number,
                sis_username = s.sis_username,
                password_policy =
                    CASE WHEN s.file = 'students' THEN COALESCE(s.password_policy, person.password_policy) END,
                state = CASE
                    WHEN d.effect <> 'reactivated' THEN person.state
                    ELSE \(Person.stateByPassword)
                END,
                deactivated_at = CASE WHEN d.effect <> 'reactivated' THEN person.deactivated_at END,
                missing_since = NULL,
                modified_at = CASE WHEN d.is_visible = 1 THEN $1 ELSE person.modified_at END
            FROM person_difference AS d
            JOIN staged_person AS s ON s.n = d.n
            WHERE person.id = d.id
            """,
            [now])
        // The files say nothing more of them than that they are not at this school any more.
        try transaction.execute(
            """
            UPDATE person SET modified_at = $1
            WHERE id IN (SELECT id FROM person_difference WHERE effect = 'left_school' AND is_visible = 1)
            """,
            [now])
    }

    private func deactivateMissingPeople() throws {
        // Do not even look for sessions: PostgreSQL would count the search as a conflict with anyone who signs in
        // meanwhile.
        guard endsSessions else { return }
        let missing = "SELECT id FROM person_difference WHERE effect = 'missing'"
        try transaction.execute(
            """
            UPDATE person SET
                state = 'deactivated', deactivated_at = COALESCE(deactivated_at, $1),
                missing_since = COALESCE(missing_since, $1), modified_at = $1
            WHERE id IN (\(missing))
            """,
            [now])
        try Departure.note(missing, at: now, in: transaction)
    }

    /// Takes ids that pass to new people away from their former holders. Imports no longer touch those accounts: should
    /// one of those people come back, an administrator reactivates the account by hand.
    private func releaseIdentifiers() throws {
        guard endsSessions else { return }
        try transaction.execute(
            "UPDATE person SET source = 'manual', source_id = NULL WHERE id IN (SELECT id FROM replaced_person)")
    }

    func addPeople() throws {
        try transaction.execute(
            """
            INSERT INTO person (
                organization_id, source, source_id, given_name, middle_name, family_name, email, grade, person_number,
                sis_username, user_name, password_policy, state, created_at, modified_at, import_id
            )
            SELECT $1, 'csv', s.source_id, s.given_name, s.middle_name, s.family_name, s.email, s.grade,
                   s.person_number, s.sis_username, n.user_name, s.password_policy, 'new', $2, $2, $3
            FROM new_person AS n
            JOIN staged_person AS s ON s.n = n.n
            ORDER BY n.n
            """,
            [organization, now, importID])
        try refreshStatistics("person")
        try transaction.execute(
            """
            INSERT INTO known_person (n, id, is_new)
            SELECT n.n, p.id, 1
            FROM new_person AS n
            JOIN staged_person AS s ON s.n = n.n
            JOIN person AS p ON p.organization_id = $1 AND p.source_id = s.source_id
            """,
            [organization])
        try refreshStatistics("known_person")
    }
}
