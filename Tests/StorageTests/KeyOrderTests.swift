import Schema
import Storage
import TestSupport
import Testing

/// How tables WITHOUT ROWID have to be written, so that SQLite's own check of a file can be believed.
@Suite struct KeyOrderTests {
    @Test("every table WITHOUT ROWID has the columns of its primary key first, in order")
    func keysFirst() async throws {
        try await TestDatabase.sqlite.with { database in
            let tables = try await database.read { transaction in
                try transaction.all(
                    """
                    SELECT name FROM pragma_table_list
                    WHERE schema = 'main' AND type = 'table' AND wr = 1 AND name NOT LIKE 'sqlite_%' ORDER BY name
                    """
                ) { try $0[0] as String }
            }
            #expect(tables.count > 30)
            for table in tables {
                let places = try await database.read { transaction in
                    try transaction.all(
                        "SELECT cid + 1, pk FROM pragma_table_info($1) WHERE pk > 0 ORDER BY cid", [table]
                    ) { [try $0[0] as Int, try $0[1] as Int] }
                }
                #expect(places == (1...places.count).map { [$0, $0] }, "\(table)")
            }
        }
    }

    @Test("transfers of before are kept, and the file is found whole", arguments: TestDatabase.available)
    func transfers(_ kind: TestDatabase) async throws {
        try await kind.with(migrations: Array(Schema.migrations.prefix(17))) { database in
            try await database.write { transaction in
                for statement in [
                    "INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at) VALUES (1, 't', 'T', $1, 0)",
                    "INSERT INTO team (id, public_id, name, sealed_identifier_key, created_at) VALUES (2, 'u', 'U', $1, 0)",
                ] { try transaction.execute(statement, [[1] as [UInt8]]) }
                for statement in [
                    "INSERT INTO app (id, team_id, name, scopes, created_at) VALUES (7, 1, 'Quizzler', '', 0)",
                    """
                    INSERT INTO app_transfer (app_id, from_team_id, to_team_id, accepted_at)
                    VALUES (7, 1, 2, 500), (7, 2, 1, 900)
                    """,
                ] { try transaction.execute(statement) }
            }
            let applied = try await database.migrate(Schema.migrations)
            #expect(applied.first == 18)
            let (transfers, damage) = try await database.read { transaction in
                (
                    try transaction.all(
                        "SELECT app_id, from_team_id, to_team_id, accepted_at FROM app_transfer ORDER BY accepted_at"
                    ) { row in try (0..<4).map { try row[$0] as Int } },
                    try transaction.damage()
                )
            }
            #expect(transfers == [[7, 1, 2, 500], [7, 2, 1, 900]])
            #expect(damage == [])
        }
    }
}
