import Foundation
import Storage

/// Measures operations of the module `Storage` on an empty database, for `Benchmarks/run.py storage`.
///
/// Usage: storage-benchmark FILE-OR-URL. Prints a line for each operation: its name and how many are done per second.
@main
struct StorageBenchmark {
    static let people = 100_000

    static func main() async throws {
        let database = try openDatabase(at: CommandLine.arguments[1])
        try await database.migrate([
            Migration(
                1, "People to read and write",
                sql: """
                    CREATE TABLE person (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        user_name TEXT NOT NULL UNIQUE,
                        given_name TEXT NOT NULL,
                        family_name TEXT NOT NULL,
                        email TEXT,
                        modified_at INTEGER NOT NULL
                    ) STRICT;
                    """)
        ])
        try await report("rows inserted in one transaction", people) { _, _ in try await fill(database) }
        try await report("durable writes, one after the other", 100, rounds: 10) { count, round in
            for number in 0..<count { try await insert("single\(round).\(number)", into: database) }
        }
        try await report("durable writes, 64 at once", 5_000, rounds: 5) { count, round in
            try await atOnce(64, count) { try await insert("shared\(round).\($0)", into: database) }
        }
        try await report("people read by name, one after the other", 20_000) { count, _ in
            for number in 0..<count { try await read(number * 7 % people, from: database) }
        }
        try await report("people read by name in one transaction", 200_000) { count, _ in
            try await database.read { transaction in
                for number in 0..<count { _ = try find(number * 7 % people, in: transaction) }
            }
        }
        try await report("people read in pages of 1 000", people) { _, _ in try await readPages(of: database) }
        await database.close()
    }

    /// Prints the best round, because other processes may use the disk during the others.
    static func report(
        _ name: String, _ count: Int, rounds: Int = 1,
        _ body: @Sendable (_ count: Int, _ round: Int) async throws -> Void
    ) async throws {
        var best = Duration.seconds(3_600)
        for round in 0..<rounds {
            let start = ContinuousClock.now
            try await body(count, round)
            best = min(best, start.duration(to: .now))
        }
        print("\(name)\t\(Int(Double(count) / (best / .seconds(1))))")
    }

    /// Runs `body` for each number below `count`, `width` of them at the same time.
    static func atOnce(_ width: Int, _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<width {
                group.addTask { for number in stride(from: lane, to: count, by: width) { try await body(number) } }
            }
            try await group.waitForAll()
        }
    }

    static let insertion =
        "INSERT INTO person (user_name, given_name, family_name, email, modified_at) VALUES ($1, $2, $3, $4, $5)"

    static func fill(_ database: any Database) async throws {
        try await database.write { transaction in
            for number in 0..<people {
                try transaction.execute(
                    insertion, ["p\(number)", "Maria", "Lopez", "p\(number)@maple.example", 1_700_000_000])
            }
        }
    }

    static func insert(_ name: String, into database: any Database) async throws {
        try await database.write {
            try $0.execute(insertion, [name, "Maria", "Lopez", String?.none, 1_700_000_000])
        }
    }

    struct Person: Sendable {
        let id: Int
        let userName: String
        let givenName: String
        let familyName: String
        let email: String?
        let modifiedAt: Date

        static let columns = "id, user_name, given_name, family_name, email, modified_at"

        init(_ row: Row) throws {
            id = try row["id"]
            userName = try row["user_name"]
            givenName = try row["given_name"]
            familyName = try row["family_name"]
            email = try row["email"]
            modifiedAt = try row["modified_at"]
        }
    }

    static func find(_ number: Int, in transaction: ReadTransaction) throws -> Person? {
        try transaction.first(
            "SELECT \(Person.columns) FROM person WHERE user_name = $1", ["p\(number)"], Person.init)
    }

    static func read(_ number: Int, from database: any Database) async throws {
        guard try await database.read({ try find(number, in: $0) }) != nil else { throw Missing() }
    }

    static func readPages(of database: any Database) async throws {
        var last = 0
        while last < people {
            let after = last
            let page = try await database.read {
                try $0.all(
                    "SELECT \(Person.columns) FROM person WHERE id > $1 ORDER BY id LIMIT 1000", [after], Person.init)
            }
            guard let end = page.last?.id else { throw Missing() }
            last = end
        }
    }

    struct Missing: Error {}
}
