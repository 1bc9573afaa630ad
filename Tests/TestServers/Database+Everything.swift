import Storage

extension Database {
    private static func isOfPeople(_ table: String) -> Bool {
        !table.hasPrefix("audit") && !table.contains("session") && !table.hasPrefix("activity")
            && table != "people_count"
    }

    /// The content of all tables but those that have what a reading leaves, the trail and uses of
    /// sessions, and what the server counts in the background.
    func everything() async throws -> [String] {
        guard dialect == .sqlite else { return try await everythingOnServer() }
        return try await read { transaction in
            let tables = try transaction.all(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name", []
            ) { try $0["name"] as String }
            return try tables.filter(Self.isOfPeople).flatMap { table in
                let columns = try transaction.all("SELECT name FROM pragma_table_info('\(table)')", []) {
                    try $0["name"] as String
                }
                let line = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
                return try transaction.all("SELECT \(line) AS line FROM \"\(table)\" ORDER BY 1", []) {
                    "\(table) \(try $0["line"] as String)"
                }
            }
        }
    }

    /// The same of PostgreSQL.
    private func everythingOnServer() async throws -> [String] {
        try await read { transaction in
            let tables = try transaction.all(
                """
                SELECT table_name::text AS name FROM information_schema.tables
                WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1
                """, []
            ) { try $0["name"] as String }
            return try tables.filter(Self.isOfPeople).flatMap { table in
                try transaction.all("SELECT one::text AS line FROM \"\(table)\" AS one ORDER BY 1", []) {
                    "\(table) \(try $0["line"] as String)"
                }
            }
        }
    }
}

extension TestServer {
    /// ``Database/everything()`` of the server's database.
    func everything() async throws -> [String] { try await database.everything() }
}
