extension PersonTable {
    /// What apps get, and what the person decides about them.
    static let apps: [PersonTable] = [
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
}
