import Directory
import Storage

/// A table that refers to people: what `person.data` shows of it, and what erasing a person does with it.
///
/// Both go through one list, ``all``, which a test compares with the schema: whoever adds a table with a person in it
/// cannot forget either. The SQL is in this room and not beside the values, so that the list can be read from the top
/// to the bottom as the answer to "what do you know about my child, and what is left when you erase it?"
package struct PersonTable: Sendable {
    package let name: String
    /// The columns that refer to a person, by id or by what is only theirs.
    package let columns: [String]
    package let shown: Shown
    package let erasing: Erasing

    package enum Shown: Sendable {
        /// `$1` is the person. The names of the columns are those of the answer.
        case section(PersonData.Section.Name, String, [Column])
        /// In a section that another table, or another part of the program, fills.
        case within(PersonData.Section.Name)
        /// Why it is not shown: a sentence.
        case left(String)
    }

    package enum Erasing: Sendable {
        /// Statements with the person as `$1`; what they delete is counted under the name, if there is one.
        case done(String?, [String])
        /// Why it stays: a sentence.
        case kept(String)
    }

    /// A column of a section.
    package struct Column: Sendable {
        package enum Kind: Sendable {
            case text, number, time, flag
        }

        package let name: String
        package let kind: Kind

        static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
        static func number(_ name: String) -> Column { Column(name: name, kind: .number) }
        static func time(_ name: String) -> Column { Column(name: name, kind: .time) }
        static func flag(_ name: String) -> Column { Column(name: name, kind: .flag) }
    }

    private init(_ name: String, _ columns: [String], _ shown: Shown, _ erasing: Erasing) {
        self.name = name
        self.columns = columns
        self.shown = shown
        self.erasing = erasing
    }

    /// A table of which all rows of the person are deleted.
    private static func rows(
        _ name: String, by column: String = "person_id", _ shown: Shown, called: String? = nil
    ) -> PersonTable {
        PersonTable(
            name, [column], shown, .done(called, ["DELETE FROM \(name) WHERE \(column) = $1"]))
    }

    /// Registered devices end with the account, before the tables are gone through.
    static let devicesName = "registered devices"
    private static let lastsMinutes = "It lasts for minutes, while somebody signs in, and has nothing but the account."
    private static let isForSearching = "It is made from the account, so that a search finds it, and says nothing else."
    /// How other tables name the person in texts.
    private static let auditName = "(SELECT 'person:' || p.id FROM person AS p WHERE p.id = $1)"
    private static let reference = #"(SELECT '%"PE-' || p.id || '"%' FROM person AS p WHERE p.id = $1)"#
}

extension PersonTable {
    /// In the order in which erasing goes through them.
    package static let all: [PersonTable] = account + school + signIns + apps + administration + imports + kept

    private static let account: [PersonTable] = [
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

    private static let school: [PersonTable] = [
        rows(
            "role_assignment",
            .section(
                .roles,
                """
                SELECT r.role, l.name AS place, r.source FROM role_assignment AS r
                LEFT JOIN location AS l ON l.id = r.location_id
                WHERE r.person_id = $1 ORDER BY r.location_id, r.role
                """, [.text("role"), .text("place"), .text("source")]), called: "roles"),
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

    private static let signIns: [PersonTable] = [
        rows(
            "credential",
            .section(
                .password,
                """
                SELECT changed_at AS "changedAt", temporary_until AS "temporaryUntil", failures AS "wrongPasswords",
                       failed_at AS "lastWrongAt", paused_until AS "pausedUntil"
                FROM credential WHERE person_id = $1
                """,
                [
                    .time("changedAt"), .time("temporaryUntil"), .number("wrongPasswords"), .time("lastWrongAt"),
                    .time("pausedUntil"),
                ]), called: "password"),
        rows(
            "browser_session",
            .section(
                .sessions,
                """
                SELECT user_agent AS browser, authenticated_at AS "signedInAt", expires_at AS "endsAt"
                FROM browser_session WHERE person_id = $1 ORDER BY authenticated_at
                """, [.text("browser"), .time("signedInAt"), .time("endsAt")]), called: "sessions"),
        rows(
            "known_browser",
            .section(
                .browsers,
                """
                SELECT used_at AS "usedAt", failures AS "wrongPasswords" FROM known_browser WHERE person_id = $1
                ORDER BY used_at
                """, [.time("usedAt"), .number("wrongPasswords")]), called: "known browsers"),
        rows("device_registration_code", .left(lastsMinutes)),
        rows(
            "registered_device",
            .section(
                .devices,
                """
                SELECT name, facts, registered_at AS "registeredAt", used_at AS "usedAt" FROM registered_device
                WHERE person_id = $1 ORDER BY id
                """, [.text("name"), .text("facts"), .time("registeredAt"), .time("usedAt")]),
            called: devicesName),
        rows(
            "passkey",
            .section(
                .passkeys,
                """
                SELECT name, added_at AS "addedAt", used_at AS "usedAt" FROM passkey WHERE person_id = $1 ORDER BY id
                """, [.text("name"), .time("addedAt"), .time("usedAt")]), called: "passkeys"),
        rows(
            "one_time_code_key",
            .section(
                .oneTimeCodes,
                "SELECT added_at AS \"addedAt\" FROM one_time_code_key WHERE person_id = $1", [.time("addedAt")]),
            called: "one-time codes"),
        rows(
            "recovery_code", .left("Recovery codes are kept as hashes, from which they cannot be read."),
            called: "recovery codes"),
        rows("pending_sign_in", .left(lastsMinutes)),
        rows("email_challenge", .left(lastsMinutes)),
        rows("parked_request", .left(lastsMinutes)),
        rows("device_authorization", .left(lastsMinutes)),
        rows("authorization_code", .left(lastsMinutes)),
        rows("departure", .left("It is only a note that apps are still to be told that the person has left.")),
    ]

    private static let apps: [PersonTable] = [
        rows(
            "client_session",
            .section(
                .appSessions,
                """
                SELECT app.name AS app, s.used_at AS "usedAt" FROM client_session AS s
                JOIN client ON client.client_id = s.client_id JOIN app ON app.id = client.app_id
                WHERE s.person_id = $1 ORDER BY s.used_at
                """, [.text("app"), .time("usedAt")])),
        PersonTable(
            "access_grant", ["person_id"],
            .section(
                .tokens,
                """
                SELECT app.name AS app, g.scopes, g.created_at AS "createdAt", g.used_at AS "usedAt",
                       g.revoked_at AS "endedAt"
                FROM access_grant AS g
                JOIN client ON client.client_id = g.client_id JOIN app ON app.id = client.app_id
                WHERE g.person_id = $1 ORDER BY g.id
                """,
                [.text("app"), .text("scopes"), .time("createdAt"), .time("usedAt"), .time("endedAt")]),
            // Grants by an organization's consent stay: the app reads for the organization, and not for the person who
            // gave the consent.
            .done(
                "tokens of apps",
                ["DELETE FROM access_grant WHERE person_id = $1 AND sign_in_consent_id IS NOT NULL"])),
        rows(
            "sign_in_consent",
            .section(
                .appSignIns,
                """
                SELECT app.name AS app, c.scopes, c.given_name AS "firstName", c.family_name AS "lastName",
                       c.granted_at AS "allowedAt", c.revoked_at AS "endedAt"
                FROM sign_in_consent AS c JOIN app ON app.id = c.app_id
                WHERE c.person_id = $1 ORDER BY c.id
                """,
                [
                    .text("app"), .text("scopes"), .text("firstName"), .text("lastName"), .time("allowedAt"),
                    .time("endedAt"),
                ]), called: "consents to apps"),
        PersonTable(
            "hidden_address", ["person_id"],
            .section(
                .hiddenAddresses,
                """
                SELECT h.address, team.name AS team, h.forwards, h.created_at AS "createdAt" FROM hidden_address AS h
                LEFT JOIN team ON team.id = h.team_id
                WHERE h.person_id = $1 ORDER BY h.id
                """, [.text("address"), .text("team"), .flag("forwards"), .time("createdAt")]),
            .done(
                "hidden addresses",
                ["UPDATE hidden_address SET person_id = NULL, forwards = 0 WHERE person_id = $1"])),
        rows(
            "sharing_left_out",
            .section(
                .notShared,
                """
                SELECT app.name AS app FROM sharing_left_out AS o
                JOIN sharing_rules AS r ON r.id = o.rules_id JOIN app ON app.id = r.app_id
                WHERE o.person_id = $1 ORDER BY app.id
                """, [.text("app")])),
        rows(
            "team_member",
            .section(
                .teams,
                """
                SELECT team.name AS team FROM team_member AS m JOIN team ON team.id = m.team_id
                WHERE m.person_id = $1 ORDER BY team.id
                """, [.text("team")])),
        rows(
            "team_invitation", by: "invited_by",
            .left("It lasts for a week, and has nothing but the team and the account that has invited.")),
        PersonTable(
            "consent", ["granted_by", "revoked_by"],
            .section(
                .consents,
                """
                SELECT app.name AS app, c.scopes, c.granted_at AS "allowedAt", c.revoked_at AS "endedAt"
                FROM consent AS c JOIN app ON app.id = c.app_id
                WHERE c.granted_by = $1 OR c.revoked_by = $1 ORDER BY c.id
                """, [.text("app"), .text("scopes"), .time("allowedAt"), .time("endedAt")]),
            .kept(
                "What the person has allowed apps for the organization stays: it is the organization's, by number only."
            )
        ),
        PersonTable(
            "notification", ["claims"],
            .section(
                .notices,
                """
                SELECT app.name AS app, n.created_at AS "createdAt" FROM notification AS n
                JOIN app ON app.id = n.app_id
                WHERE n.claims LIKE (SELECT '%"person":' || p.id || ',%' FROM person AS p WHERE p.id = $1)
                   OR n.claims LIKE (SELECT '%"person":' || p.id || '}%' FROM person AS p WHERE p.id = $1)
                ORDER BY n.id
                """, [.text("app"), .time("createdAt")]),
            .kept("Messages that tell apps of it stay until they are delivered, three days at most.")),
        PersonTable(
            "mail_message", ["recipient", "person_id"],
            .section(
                .mails,
                """
                SELECT m.subject, m.created_at AS "createdAt", m.attempts FROM mail_message AS m
                JOIN person AS p ON p.id = $1 AND (LOWER(p.email) = LOWER(m.recipient) OR p.id = m.person_id)
                ORDER BY m.id
                """, [.text("subject"), .time("createdAt"), .number("attempts")]),
            // Mail without a person goes by its address, unless somebody else has the same one: siblings often have
            // that of their parents.
            .done(
                "mails that wait",
                [
                    """
                    DELETE FROM mail_message WHERE person_id = $1 OR LOWER(recipient) IN (
                        SELECT LOWER(p.email) FROM person AS p
                        WHERE p.id = $1 AND NOT EXISTS (
                            SELECT 1 FROM person AS o WHERE o.id <> p.id AND LOWER(o.email) = LOWER(p.email)
                        )
                    )
                    """
                ])),
    ]

    private static let administration: [PersonTable] = [
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

    private static let imports: [PersonTable] = [
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

    private static let kept: [PersonTable] = [
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
