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
            #expect(applied == Schema.migrations.dropFirst(16).map(\.number))
            let after = await [has("previous_refresh_token_hash"), has("last_exchange_hash")]
            #expect(after == [false, true])
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
                    // Gone, but a token may still name it.
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
}
