import Schema
import Storage
import TestSupport
import Testing

@Suite struct MigrationTests {
    static let first = Migration(
        1, "A", sql: "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER) STRICT;")
    static let second = Migration(2, "B", sql: "ALTER TABLE a ADD COLUMN body TEXT; UPDATE a SET body = 'was there';")

    @Test("steps run once, in order, over rows that are there", arguments: TestDatabase.available)
    func inOrder(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first]) { database in
            try await database.write { try $0.execute("INSERT INTO a (n) VALUES (7)") }
            let applied = try await database.migrate([Self.first, Self.second])
            #expect(applied == [2])
            let again = try await database.migrate([Self.first, Self.second])
            #expect(again == [])
            let body = try await database.read { try $0.first("SELECT body FROM a") { try $0[0] as String } }
            #expect(body == "was there")
        }
    }

    @Test("a step that fails leaves the schema as it was", arguments: TestDatabase.available)
    func failing(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first]) { database in
            let broken = Migration(
                2, "Broken", sql: "ALTER TABLE a ADD COLUMN body TEXT; CREATE TABLE a (x INTEGER) STRICT;")
            await #expect(throws: DatabaseError.self) { try await database.migrate([Self.first, broken]) }
            let applied = try await database.migrate([Self.first, Self.second])
            #expect(applied == [2])
        }
    }

    @Test("a database of a newer Lanyard is refused", arguments: TestDatabase.available)
    func newer(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: [Self.first, Self.second]) { database in
            await #expect(throws: DatabaseError.newerSchema(found: 2, known: 1)) {
                try await database.migrate([Self.first])
            }
        }
    }

    @Test("two servers that start at once migrate together", arguments: TestDatabase.available)
    func together(_ kind: TestDatabase) async throws {
        let (location, remove) = try await kind.makeEmpty()
        let databases = try (0..<3).map { _ in try openDatabase(at: location) }
        let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
            for database in databases { group.addTask { try await database.migrate(Schema.migrations) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == Schema.migrations.map(\.number))
        for database in databases { await database.close() }
        await remove()
    }

    @Test("an exchange that could be made again with its token alone needs a key", arguments: TestDatabase.available)
    func exchanges(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(16))) { database in
            func has(_ column: String) async -> Bool {
                (try? await database.read { try $0.all("SELECT \(column) FROM access_grant") { _ in 0 } }) != nil
            }
            let before = await [has("previous_refresh_token_hash"), has("last_exchange_hash")]
            #expect(before == [true, false])
            let applied = try await database.migrate(Schema.migrations)
            #expect(applied == Array(17...Schema.migrations.count))
            let after = await [has("previous_refresh_token_hash"), has("last_exchange_hash")]
            #expect(after == [false, true])
        }
    }

    @Test(
        "what was over by the clock stays over, what was alive goes on, and who is deactivated gets nothing back",
        arguments: TestDatabase.available)
    func signInVersions(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(17))) { database in
            try await database.write { transaction in
                for statement in [
                    """
                    INSERT INTO person (id, source, given_name, family_name, user_name, state, created_at, modified_at)
                    VALUES (1, 'manual', 'Ada', 'Lind', 'ada@home.example', 'active', 0, 0),
                           (2, 'manual', 'Bo', 'Lind', 'bo@home.example', 'deactivated', 0, 0)
                    """,
                    "INSERT INTO credential (person_id, password_hash, changed_at) VALUES (1, '', 100), (2, '', 100)",
                    "INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at) VALUES (1, 't', 'T', $1, 0)",
                    "INSERT INTO app (id, team_id, name, scopes, created_at) VALUES (1, 1, 'Quizzler', '', 0)",
                    "INSERT INTO client (client_id, app_id, is_primary) VALUES ('c', 1, 1)",
                    """
                    INSERT INTO sign_in_consent (id, app_id, person_id, scopes, hides_email, request_hash, granted_at)
                    VALUES (1, 1, 1, '', 0, $1, 0), (2, 1, 2, '', 0, $1, 0)
                    """,
                    """
                    INSERT INTO access_grant (id, profile, sign_in_consent_id, client_id, person_id, scopes,
                                              authenticated_at, created_at)
                    VALUES (1, 'standard', 1, 'c', 1, '', 99, 100), (2, 'standard', 1, 'c', 1, '', 100, 100),
                           (3, 'standard', 2, 'c', 2, '', 100, 100)
                    """,
                    """
                    INSERT INTO browser_session (token_hash, person_id, authenticated_at, expires_at)
                    VALUES ($1, 1, 100, 200)
                    """,
                ] {
                    try transaction.execute(
                        statement, statement.contains("$1") ? [[UInt8](repeating: 1, count: 32)] : [])
                }
            }
            try await database.migrate(Schema.migrations)
            let (grants, sessions) = try await database.read { transaction in
                (
                    try transaction.all(
                        """
                        SELECT g.id FROM access_grant AS g
                        JOIN person AS p ON p.id = g.person_id AND p.sign_in_version = g.sign_in_version
                        """
                    ) { try $0[0] as Int },
                    try transaction.all(
                        """
                        SELECT s.person_id FROM browser_session AS s
                        JOIN person AS p ON p.id = s.person_id AND p.sign_in_version = s.sign_in_version
                        """
                    ) { try $0[0] as Int }
                )
            }
            #expect(grants == [2])
            #expect(sessions == [1])
        }
    }

    @Test(
        "of personal accounts those are verified whose owners answered a code, and orphaned hidden addresses end",
        arguments: TestDatabase.available)
    func verifiedAddresses(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(17))) { database in
            try await database.write { transaction in
                func entry(_ number: Int, at: Int, on person: Int, _ action: String, _ detail: String) -> String {
                    """
                    INSERT INTO audit_entry
                        (organization_id, sequence, at, actor, action, subject, outcome, detail, origin, hash)
                    VALUES (0, \(number), \(at), 'x', '\(action)', 'person:\(person)', 'done', '\(detail)', '', $1)
                    """
                }
                func person(_ id: Int, of organization: String = "NULL") -> String {
                    """
                    INSERT INTO person (id, organization_id, source, given_name, family_name, user_name, state, created_at,
                                        modified_at)
                    VALUES (\(id), \(organization), 'manual', 'A', 'B', 'p\(id)', 'active', 0, 0)
                    """
                }
                for statement in [
                    """
                    INSERT INTO organization (id, public_id, kind, name, user_name_format, created_at, modified_at)
                    VALUES (1, 'o', 'school', 'Maple', '{email_address}', 0, 0)
                    """,
                    person(1), person(2), person(3), person(4, of: "1"),
                    entry(1, at: 5, on: 1, "person.created", "by sign-up, with a verified address"),
                    entry(2, at: 6, on: 2, "person.created", ""),
                    entry(3, at: 7, on: 3, "person.created", ""),
                    entry(4, at: 8, on: 3, "person.changed", "email address, verified"),
                    entry(5, at: 9, on: 3, "person.changed", "name"),
                    "INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at) VALUES (1, 't', 'T', $1, 0)",
                    "INSERT INTO app (id, team_id, name, scopes, created_at) VALUES (1, 1, 'Quizzler', '', 0)",
                    """
                    INSERT INTO sign_in_consent (app_id, person_id, scopes, hides_email, request_hash, granted_at, revoked_at)
                    VALUES (1, 1, 'email', 1, $1, 0, NULL), (1, 2, 'email', 1, $1, 0, 5), (1, 3, 'email', 0, $1, 0, NULL)
                    """,
                    """
                    INSERT INTO hidden_address (address, team_id, person_id, created_at, changed_at)
                    VALUES ('a', 1, 1, 0, 0), ('b', 1, 2, 0, 0), ('c', 1, 3, 0, 0)
                    """,
                ] {
                    let bytes = statement.contains("$1") ? [[UInt8](repeating: 1, count: 32)] : []
                    try transaction.execute(statement, bytes)
                }
            }
            try await database.migrate(Schema.migrations)
            let (verified, forwarding, apps) = try await database.read { transaction in
                (
                    try transaction.all("SELECT email_verified_at FROM person ORDER BY id") { try $0[0] as Int? },
                    try transaction.all("SELECT forwards FROM hidden_address ORDER BY address") { try $0[0] as Bool },
                    try transaction.all("SELECT requires_proof_key FROM app") { try $0[0] as Bool }
                )
            }
            #expect(verified == [5, nil, 8, nil])
            #expect(forwarding == [true, false, false])
            #expect(apps == [false])
        }
    }

    @Test("grants that apps held before people could sign in are still theirs", arguments: TestDatabase.available)
    func keepsGrants(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(8))) { database in
            try await database.write { transaction in
                for statement in [
                    """
                    INSERT INTO organization (id, public_id, kind, name, user_name_format, created_at, modified_at)
                    VALUES (1, 'o', 'school', 'Maple', '{email_address}', 0, 0)
                    """,
                    """
                    INSERT INTO person (id, organization_id, source, given_name, family_name, user_name, state, created_at,
                                        modified_at)
                    VALUES (1, 1, 'manual', 'Ada', 'Lind', 'ada@maple.example', 'active', 0, 0)
                    """,
                    "INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at) VALUES (1, 't', 'T', $1, 0)",
                    "INSERT INTO app (id, team_id, name, scopes, created_at) VALUES (1, 1, 'Quizzler', '', 0)",
                    "INSERT INTO client (client_id, app_id, is_primary) VALUES ('c', 1, 1)",
                    """
                    INSERT INTO consent (id, app_id, organization_id, scopes, granted_by, granted_at)
                    VALUES (1, 1, 1, 'edu.users.read', 1, 0)
                    """,
                    """
                    INSERT INTO access_grant (consent_id, client_id, person_id, scopes, refresh_token_hash,
                                              authenticated_at, created_at)
                    VALUES (1, 'c', 1, 'edu.users.read', $1, 5, 6), (1, 'c', 1, '', $2, 5, 6)
                    """,
                    // The grant is deleted, but a token may still name it.
                    "DELETE FROM access_grant WHERE id = 2",
                    "INSERT INTO access_rule (organization_id, purpose, mode, version) VALUES (1, 'data_sharing', 'allow_all_apps', 3)",
                ] {
                    let bytes = (1...2).filter { statement.contains("$\($0)") }.map {
                        [UInt8](repeating: UInt8($0), count: 32)
                    }
                    try transaction.execute(statement, bytes)
                }
            }
            try await database.migrate(Schema.migrations)
            let (grant, version, next) = try await database.write { transaction in
                (
                    try transaction.first(
                        """
                        SELECT profile, consent_id, refresh_token_hash, authenticated_at FROM access_grant WHERE id = 1
                        """
                    ) { row in
                        (
                            try row[0] as String, try row[1] as Int, (try row[2] as [UInt8]).count, try row[3] as Int
                        )
                    },
                    try transaction.first(
                        "SELECT version, applied_version FROM access_rule WHERE purpose = 'data_sharing'"
                    ) { [try $0[0] as Int, try $0[1] as Int] },
                    try transaction.first(
                        """
                        INSERT INTO access_grant (profile, consent_id, client_id, person_id, scopes, authenticated_at,
                                                  created_at)
                        VALUES ('roster', 1, 'c', 1, 'edu.users.read', 5, 6)
                        RETURNING id
                        """
                    ) { try $0[0] as Int }
                )
            }
            #expect(try #require(grant) == ("roster", 1, 32, 5))
            #expect(version == [3, 3])
            #expect(next == 3)
        }
    }

    @Test(
        "a class that an import had emptied is archived, and one made by hand is not", arguments: TestDatabase.available
    )
    func emptiedClasses(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(31))) { database in
            try await database.write { transaction in
                for statement in [
                    """
                    INSERT INTO organization (id, public_id, name, kind, user_name_format, created_at, modified_at)
                    VALUES (1, 'o', 'Maple', 'school', '{first_name}', 0, 0)
                    """,
                    """
                    INSERT INTO class (id, organization_id, source, source_id, name, created_at, modified_at, import_id)
                    VALUES (1, 1, 'manual', 'K-1', 'Emptied', 0, 7, 3), (2, 1, 'manual', 'K-2', 'By hand', 0, 7, NULL),
                           (3, 1, 'csv', 'K-3', 'Living', 0, 7, 3)
                    """,
                ] { try transaction.execute(statement) }
            }
            try await database.migrate(Schema.migrations)
            let archived = try await database.read { transaction in
                try transaction.all(
                    "SELECT name, source, archived_at, missing_since FROM class WHERE archived_at IS NOT NULL"
                ) { row in
                    "\(try row["name"] as String) \(try row["source"] as String) \(try row["archived_at"] as Int) "
                        + "\(try row["missing_since"] as Int)"
                }
            }
            #expect(archived == ["Emptied csv 7 7"])
        }
    }
}
