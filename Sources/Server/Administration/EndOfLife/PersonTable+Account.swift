extension PersonTable {
    /// The record itself, and what is about it.
    static let account: [PersonTable] = [
        PersonTable(
            "person", ["id"],
            .section(
                .account,
                """
                SELECT given_name AS "firstName", middle_name AS "middleName", family_name AS "lastName",
                       user_name AS "userName", email, grade, source_id AS "personID",
                       person_number AS "personNumber", sis_username AS "sisUserName",
                       password_policy AS "passwordPolicy", language, state, source,
                       created_at AS "createdAt", modified_at AS "modifiedAt", deactivated_at AS "deactivatedAt",
                       missing_since AS "missingSince"
                FROM person WHERE id = $1
                """,
                [
                    .text("firstName"), .text("middleName"), .text("lastName"), .text("userName"), .text("email"),
                    .text("grade"), .text("personID"), .text("personNumber"), .text("sisUserName"),
                    .text("passwordPolicy"), .text("language"), .text("state"), .text("source"), .time("createdAt"),
                    .time("modifiedAt"), .time("deactivatedAt"), .time("missingSince"),
                ]),
            .kept(
                """
                The number of the record stays, and when it was made and erased: the ids that apps have are made from \
                it, so that it must never become another person's. All else of it goes.
                """)),
        // `Person.eraseManaged` deletes the rows of these two, at the end of erasing.
        PersonTable("person_search", ["rowid"], .left(isForSearching), .done(nil, [])),
        PersonTable("person_unindexed", ["person_id"], .left(isForSearching), .done(nil, [])),
        PersonTable(
            "former_user_name", ["person_id"],
            .section(
                .formerNames,
                """
                SELECT user_name AS "userName", kept_until AS "keptUntil" FROM former_user_name WHERE person_id = $1
                ORDER BY user_name
                """, [.text("userName"), .time("keptUntil")]),
            // `Person.eraseManaged` replaces them, and the present name, by hashes in `erased_name`.
            .done(nil, [])),
        PersonTable(
            "erased_name", ["name_hash"], .left("It is there only when the record is erased."),
            .kept("A hash of the user name stays for 90 days, so that nobody else gets the name meanwhile.")),
        PersonTable(
            "erasure", ["person_id", "identity_hash"], .left("It is there only when the record is erased."),
            .kept(
                """
                A hash of the person id of the school's files stays, so that an import which names it is held, and does \
                not make the person anew.
                """)),
        PersonTable(
            "erasure_notice", ["person_id"], .left("It is there only when the record is erased."),
            .kept("Which apps were told, and whether they have answered, stays: it proves that they were.")),
        PersonTable(
            "person_merge", ["merged_id", "kept_id", "moved"],
            .section(
                .mergedRecords,
                """
                SELECT merged_id AS record, kept_id AS "mergedInto", merged_at AS "mergedAt" FROM person_merge
                WHERE kept_id = $1 OR merged_id = $1 ORDER BY merged_id
                """, [.number("record"), .number("mergedInto"), .time("mergedAt")]),
            .done(nil, ["DELETE FROM person_merge WHERE kept_id = $1 OR merged_id = $1"])),
        PersonTable(
            "legal_hold", ["person_id"],
            .section(
                .holds,
                """
                SELECT reason, begun_at AS "begunAt", last_day AS "lastDay", ended_at AS "endedAt" FROM legal_hold
                WHERE person_id = $1 ORDER BY id
                """, [.text("reason"), .time("begunAt"), .text("lastDay"), .time("endedAt")]),
            .done(nil, ["DELETE FROM legal_hold WHERE person_id = $1"])),
    ]

    /// Roles and classes.
    static let school: [PersonTable] = [
        rows(
            "role_assignment",
            .section(
                .roles,
                """
                SELECT r.role, l.name AS place, r.source, r.begins_at AS "begunAt", r.ends_at AS "endsAt"
                FROM role_assignment AS r
                LEFT JOIN location AS l ON l.id = r.location_id
                WHERE r.person_id = $1 ORDER BY r.location_id, r.role
                """, [.text("role"), .text("place"), .text("source"), .time("begunAt"), .time("endsAt")]),
            called: "roles"),
        rows(
            "class_student",
            .section(
                .classes,
                """
                SELECT k.name, k.number, c.name AS course, t.name AS term, l.name AS place, k.room,
                       k.archived_at AS "archivedAt", m.roster_id AS "rosterID"
                FROM class_student AS m
                JOIN class AS k ON k.id = m.class_id
                LEFT JOIN course AS c ON c.id = k.course_id
                LEFT JOIN term AS t ON t.id = k.term_id
                LEFT JOIN location AS l ON l.id = k.location_id
                WHERE m.person_id = $1 ORDER BY k.id
                """,
                [
                    .text("name"), .text("number"), .text("course"), .text("term"), .text("place"), .text("room"),
                    .time("archivedAt"), .text("rosterID"),
                ]), called: "classes"),
        rows(
            "class_instructor",
            .section(
                .taughtClasses,
                """
                SELECT k.name, k.number, c.name AS course, t.name AS term, l.name AS place, k.room,
                       k.archived_at AS "archivedAt"
                FROM class_instructor AS m
                JOIN class AS k ON k.id = m.class_id
                LEFT JOIN course AS c ON c.id = k.course_id
                LEFT JOIN term AS t ON t.id = k.term_id
                LEFT JOIN location AS l ON l.id = k.location_id
                WHERE m.person_id = $1 ORDER BY k.id
                """,
                [
                    .text("name"), .text("number"), .text("course"), .text("term"), .text("place"), .text("room"),
                    .time("archivedAt"),
                ]), called: "classes taught"),
    ]
}
