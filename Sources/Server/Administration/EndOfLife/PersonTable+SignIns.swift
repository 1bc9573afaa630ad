extension PersonTable {
    /// With what and where the person signs in.
    static let signIns: [PersonTable] = [
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
}
