import CommandOutput
import Foundation
import Storage

/// `pg_dump` and `pg_restore`, with a database that they get by their environment: a password on the command line could be read
/// by every user of the machine.
struct PostgresTools: Sendable {
    private let address: PostgresAddress

    init(location: String) throws { address = try PostgresAddress(location) }

    /// Writes an archive.
    /// - Parameters:
    ///   - snapshot: the name of the moment that is copied.
    ///   - serverVersion: such as 150005; programs read no server that is newer than they are.
    /// - Throws: ``Failure``
    func dump(to path: String, snapshot: String, serverVersion: Int) throws {
        let program = try Self.path(of: "pg_dump")
        try Self.check(program, reads: serverVersion)
        try InstalledProgram.run(
            program,
            ["--format=custom", "--no-password", "--snapshot=\(snapshot)", "--file=\(path)"]
                + ["--dbname=\(address.connectionString)"],
            environment: address.environment)
    }

    /// Reads an archive from its beginning to its end, into nothing.
    /// - Throws: ``Failure`` if it is damaged.
    static func verify(_ path: String) throws {
        try InstalledProgram.run(try Self.path(of: "pg_restore"), ["--file=/dev/null", path])
    }

    /// Puts everything that is in an archive into the database, or nothing.
    /// - Throws: ``Failure``
    func restore(_ path: String) throws {
        try InstalledProgram.run(
            try Self.path(of: "pg_restore"),
            ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password"]
                + ["--dbname=\(address.connectionString)", path],
            environment: address.environment)
    }

    private static func path(of name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard
            let path = folders.map({ "\($0)/\(name)" })
                .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { throw Failure("There is no \(name) here. Install postgresql-client, as new as the server or newer.") }
        return path
    }

    private static func check(_ program: String, reads serverVersion: Int) throws {
        let words = String(decoding: try InstalledProgram.run(program, ["--version"]), as: UTF8.self)
        guard let major = major(ofVersion: words) else { throw Failure("\(program) does not say its version.") }
        guard major >= serverVersion / 10_000 else {
            throw Failure(
                """
                \(program) is of PostgreSQL \(major), and the server of \(serverVersion / 10_000): it cannot copy what is newer. \
                Install postgresql-client-\(serverVersion / 10_000).
                """)
        }
    }

    /// 15 for `pg_dump (PostgreSQL) 15.5 (Debian 15.5-1)`.
    static func major(ofVersion words: String) -> Int? {
        words.split(separator: " ").lazy.compactMap { Int($0.prefix { $0.isNumber }) }.first
    }
}
