import Foundation
import Storage
import TestSupport
import Testing

/// Rows are read as `row["name"]`, and a misspelled name fails only when its statement runs. So these tests look at the
/// sources: a new record is covered without being registered anywhere.
@Suite struct ColumnsReadTests {
    @Test("every column that the server reads by name is in the migrated schema", arguments: TestDatabase.available)
    func all(_ kind: TestDatabase) async throws {
        let sources = try RowSource.all()
        #expect(sources.count { !$0.listed.isEmpty } >= 19, "records with a list of their columns")
        #expect(sources.flatMap(\.reads).count >= 300)
        try await kind.with { database in
            let schema = try await columns(of: database)
            #expect(sources.flatMap { $0.mistakes(schema) } == [])
        }
    }

    @Test(
        "a misspelled column is found in lists, in records and in statements",
        arguments: [
            (#""id, name""#, "name", "", []),
            (#""id, nmae""#, "name", "", ["nmae", "name"]),
            (#""id, room.nmae""#, "nmae", "", ["nmae"]),
            (#""id, room.number, name""#, "number", "", []),
            (#"["id", "name"].map { "thing.\($0)" }"#, "name", "", []),
            (#""id""#, "name", "", ["name"]),
            (#""id, name, number""#, "id", "", ["number"]),
            (#""id, name""#, "name", #"first("SELECT name, 1 AS one FROM thing") { ($0["name"], $0["one"]) }"#, []),
            (#""id, name""#, "name", #"first("SELECT number FROM thing") { $0["number"] }"#, ["number"]),
            (#""id, name""#, "name", #"first("SELECT x.on FROM thing AS x") { each in each["one"] }"#, ["one"]),
        ] as [(String, String, String, [String])])
    func mistakes(columns: String, read: String, statement: String, expected: [String]) {
        let text = """
            struct Thing {
                static let columns = \(columns)

                init(_ row: Row) throws {
                    name = try row["\(read)"]  // row["comment"]
                }
                \(statement)
            }
            """
        let source = RowSource(path: "Thing.swift", text: text, neighbours: text, temporary: [])
        let found = source.mistakes(["thing": ["id", "name"], "room": ["number"]])
        #expect(found == expected.map { "Thing.swift: \($0)" })
    }

    private func columns(of database: any Database) async throws -> [String: Set<String>] {
        let sql =
            switch database.dialect {
            case .sqlite:
                """
                SELECT t.name AS table_name, c.name AS column_name
                FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
                WHERE t.type = 'table'
                """
            case .postgres:
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
            }
        return try await database.read { transaction in
            let pairs = try transaction.all(sql) { (try $0["table_name"] as String, try $0["column_name"] as String) }
            return Dictionary(grouping: pairs, by: \.0).mapValues { Set($0.map(\.1)) }
        }
    }
}

/// A source file that reads rows.
private struct RowSource {
    let path: String
    let text: String
    /// The text of all files in its folder: a record and its statements may be in two of them.
    let neighbours: String
    /// The columns of the temporary tables of an import.
    let temporary: Set<String>

    static func all() throws -> [RowSource] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources"
        )
        .standardizedFileURL
        var texts: [URL: String] = [:]
        for wing in ["Server", "Programs/ServerCommands"] {
            let folder = sources.appendingPathComponent(wing)
            for case let file as URL in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)!
            where file.pathExtension == "swift" && !file.path.contains("/Server/Schema/") {
                texts[file] = try String(contentsOf: file, encoding: .utf8)
            }
        }
        let folders = Dictionary(grouping: texts.keys) { $0.deletingLastPathComponent() }
            .mapValues { files in files.compactMap { texts[$0] }.joined(separator: "\n") }
        let temporary = texts.values.flatMap { text in
            text.matches(of: /CREATE TEMP TABLE \w+ \(([^;]*)\)/).flatMap { $0.1.matches(of: /(\w+) (?:INTEGER|TEXT)/) }
        }
        return texts.sorted { $0.key.path < $1.key.path }.compactMap { file, text in
            guard text.contains(/SELECT |RETURNING |: Row\b/) else { return nil }
            return RowSource(
                path: file.lastPathComponent, text: text,
                neighbours: folders[file.deletingLastPathComponent()]!, temporary: Set(temporary.map { String($0.1) }))
        }
    }

    private var code: String { text.replacing(/\/\/[^\n]*/, with: "") }

    /// The names in `row["name"]`, whatever the row is called.
    var reads: [String] { Self.reads(in: code) }

    private static func reads(in code: String) -> [String] {
        code.matches(of: /[\w$]\["(\w+)"\]/).map { String($0.1) }
    }

    /// What its lists of columns name, with the table if that is named as well.
    var listed: [(table: String?, column: String)] {
        code.matches(of: /(?:columns|columnNames) =\s+((?:[^\n]+\n)+)/).flatMap { list -> [(String?, String)] in
            guard !list.1.contains("columns(of:") else { return [] }
            // Every second piece is a literal, also where three quotation marks enclose it.
            return list.1.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }
                .flatMap { $0.element.split(separator: /,\s*/) }
                .compactMap { $0.trimmingCharacters(in: .whitespacesAndNewlines).wholeMatch(of: /(?:(\w+)\.)?(\w+)/) }
                .map { ($0.1.map(String.init), String($0.2)) }
        }
    }

    /// The columns that no table has, or that the statement does not return.
    func mistakes(_ schema: [String: Set<String>]) -> [String] {
        let listed = listed
        let ofOneTable = Set(listed.filter { $0.table == nil }.map(\.column))
        let nearest = schema.values.min { ofOneTable.subtracting($0).count < ofOneTable.subtracting($1).count } ?? []
        var mistakes = ofOneTable.subtracting(nearest).sorted()
        mistakes += listed.filter { table, column in table.map { schema[$0]?.contains(column) != true } ?? false }
            .map(\.column)

        var other = code
        for record in code.matches(of: /init\([^\n]*row: Row\) throws \{\n(?:[^\n]*\n)*?    \}/) where !listed.isEmpty {
            mistakes += Self.reads(in: String(record.0)).filter { read in !listed.contains { $0.column == read } }
            other = other.replacing(record.0, with: "")
        }
        let tables = neighbours.matches(of: /\b(?:FROM|JOIN|INTO|UPDATE) (\w+)/).map { String($0.1) }
        let aliases = neighbours.matches(of: /\bAS (\w+)/).map { String($0.1) }
        let known = Set(tables.flatMap { schema[$0] ?? [] } + aliases).union(temporary)
        mistakes += Self.reads(in: other).filter { !known.contains($0) }
        return mistakes.map { "\(path): \($0)" }
    }
}
