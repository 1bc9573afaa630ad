import Directory

extension PersonTable {
    /// What administrators have done, and programs in their names.
    static let administration: [PersonTable] = [
        rows(
            "api_token",
            .section(
                .terminals,
                """
                SELECT privileges, expires_at AS "endsAt" FROM api_token WHERE person_id = $1 ORDER BY expires_at
                """, [.text("privileges"), .time("endsAt")])),
        rows("api_sign_in", .left(lastsMinutes)),
        PersonTable(
            "administration_change", ["actor", "subject", "undo_input"],
            .section(
                .formerValues,
                """
                SELECT operation, at, undo_input AS before FROM administration_change
                WHERE subject = \(auditName) ORDER BY id
                """, [.text("operation"), .time("at"), .text("before")]),
            .done(
                "changes that could be taken back",
                [
                    """
                    DELETE FROM administration_change
                    WHERE organization_id IN (0, (SELECT p.organization_id FROM person AS p WHERE p.id = $1))
                      AND (subject = \(auditName) OR undo_input LIKE \(reference))
                    """
                ])),
        PersonTable(
            "administration_job", ["caller", "person_id", "failure"],
            .section(
                .jobs,
                """
                SELECT operation, created_at AS "createdAt", ended_at AS "endedAt" FROM administration_job
                WHERE person_id = $1 ORDER BY id
                """, [.text("operation"), .time("createdAt"), .time("endedAt")]),
            // The sentence about why a job failed can have anybody's name in it, so all such sentences of the
            // organization are replaced.
            .done(
                nil,
                [
                    """
                    UPDATE administration_job
                    SET failure = '{"detail":"It failed. The reason is not kept any more.","kind":"refused"}'
                    WHERE organization_id = (SELECT p.organization_id FROM person AS p WHERE p.id = $1)
                      AND failure IS NOT NULL
                    """
                ])),
        PersonTable(
            "administration_reply", ["caller", "reply"],
            .left("Answers of the last day, for repeated requests, are encrypted, and have what other sections have."),
            .kept("Answers to administrators stay for a day, encrypted, in case that they ask again.")),
    ]

    /// What came in files, and what undoes it.
    static let imports: [PersonTable] = [
        PersonTable(
            "import_files_part", ["sealed"],
            .left(
                """
                The files of imports are kept sealed, as they came, for \(ImportFiles.days) days. What is in them of the \
                person stands in the record.
                """),
            .done("files of imports", ["DELETE FROM import_files WHERE \(ImportFiles.whereNaming)"])),
        PersonTable(
            "roster_pick_up", ["sealed_report"],
            .left("What was wrong with the files that came last is kept sealed until files come again."),
            .done(
                "reports of pick-ups",
                [
                    """
                    UPDATE roster_pick_up SET sealed_report = NULL
                    WHERE organization_id = (SELECT organization_id FROM person WHERE id = $1)
                    """
                ])),
        rows(
            "undo_person",
            .section(
                .beforeImport,
                """
                SELECT given_name AS "firstName", middle_name AS "middleName", family_name AS "lastName", email, grade,
                       person_number AS "personNumber", sis_username AS "sisUserName", source_id AS "personID"
                FROM undo_person WHERE person_id = $1 ORDER BY import_id
                """,
                [
                    .text("firstName"), .text("middleName"), .text("lastName"), .text("email"), .text("grade"),
                    .text("personNumber"), .text("sisUserName"), .text("personID"),
                ])),
        rows(
            "undo_role",
            .section(
                .rolesBeforeImport,
                """
                SELECT u.role, l.name AS place FROM undo_role AS u LEFT JOIN location AS l ON l.id = u.location_id
                WHERE u.person_id = $1 ORDER BY u.import_id, u.location_id, u.role
                """, [.text("role"), .text("place")])),
        rows(
            "undo_student",
            .section(
                .classesBeforeImport,
                """
                SELECT k.name, u.roster_id AS "rosterID" FROM undo_student AS u JOIN class AS k ON k.id = u.class_id
                WHERE u.person_id = $1 ORDER BY u.import_id, k.id
                """, [.text("name"), .text("rosterID")])),
        rows(
            "undo_instructor",
            .section(
                .taughtBeforeImport,
                """
                SELECT k.name FROM undo_instructor AS u JOIN class AS k ON k.id = u.class_id
                WHERE u.person_id = $1 ORDER BY u.import_id, k.id
                """, [.text("name")])),
        PersonTable(
            "id_move", ["record_id"],
            .section(
                .formerIDs,
                """
                SELECT v.old_id AS "formerID", v.new_id AS "newID", m.applied_at AS "changedAt" FROM id_move AS v
                JOIN id_map AS m ON m.id = v.map_id
                WHERE v.kind = 'person' AND v.record_id = $1 ORDER BY v.map_id
                """, [.text("formerID"), .text("newID"), .time("changedAt")]),
            .done("former person ids", ["DELETE FROM id_move WHERE kind = 'person' AND record_id = $1"])),
    ]

    /// The audit trail.
    static let kept: [PersonTable] = [
        PersonTable(
            "audit_entry", ["actor", "subject", "detail"], .within(.history),
            .kept(
                """
                The audit trail stays. It names people by number only, and each entry proves the ones before it: without \
                one of them nothing is proved any more.
                """)),
        PersonTable(
            "audit_mention", ["term"], .within(.history),
            .kept("By it the trail's entries are found, which have numbers and no names.")),
    ]
}
