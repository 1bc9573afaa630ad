import CommandOutput
import Foundation
import Schema
import Storage

/// Checks whether the database can be reached, is Lanyard's, is undamaged and can be written.
struct DatabaseExamination {
    /// The open database, if it has the schema of this program, for further checks; it may be damaged. nil if it cannot
    /// be used.
    let database: (any Database)?
    let findings: [Finding]

    private static let check = "database"
    private static let foreign = Finding.problem(
        check, "This is no database of Lanyard's.",
        remedy: "Check --database and --data, or begin with `lanyard init`.")

    static func open(_ settings: Settings) async -> DatabaseExamination {
        // Opening would create a missing file, and the doctor must not change anything.
        guard settings.databaseIsServer || FileManager.default.fileExists(atPath: settings.databaseLocation) else {
            return DatabaseExamination(
                database: nil,
                findings: [
                    .problem(
                        check, "There is no database \(settings.databaseLocation).",
                        remedy: "Name its folder with --data, restore your backup, or begin with `lanyard init`.")
                ])
        }
        do {
            // Opening a SQLite file changes its journal mode, so check first that it is Lanyard's.
            if !settings.databaseIsServer, try !isSQLiteFile(settings.databaseLocation, withTable: "schema_step") {
                return DatabaseExamination(database: nil, findings: [foreign])
            }
            let database = try openDatabase(at: settings.databaseLocation)
            let (findings, isReadable) = await examine(database)
            if !isReadable { await database.close() }
            return DatabaseExamination(database: isReadable ? database : nil, findings: findings)
        } catch {
            return DatabaseExamination(
                database: nil,
                findings: [
                    .problem(
                        check, "\(error)",
                        remedy: settings.databaseIsServer
                            ? "Start PostgreSQL, and check the address and the password."
                            : "Check that this user may write to the file and its folder; if that does not help, "
                                + "restore your backup.")
                ])
        }
    }

    /// Whether a server can begin in the database, or go on there. Makes nothing.
    /// - Parameter location: a path, or `postgres://…`.
    static func beforeSetup(at location: String) async -> Finding {
        do {
            guard namesServer(location) else { return try beforeSetup(ofFile: location) }
            let database = try openDatabase(at: location)
            do {
                let (version, isLanyards, isEmpty, grant) = try await database.read { transaction in
                    (
                        try transaction.serverVersion() ?? 0, try transaction.appliedStep() != nil,
                        try transaction.isEmptyDatabase(), try transaction.missingGrant()
                    )
                }
                await database.close()
                let words = "PostgreSQL \(version / 10_000).\(version % 10_000) answers"
                if isLanyards { return .ok(check, "\(words), and has a database of Lanyard's.") }
                if isEmpty {
                    guard let grant else { return .ok(check, "\(words), and the database is empty.") }
                    return .problem(
                        check, "\(words), but this user may make no tables in the database.",
                        remedy:
                            "In that database, as an administrator of PostgreSQL: `\(grant);`. Or make the database with "
                            + "`createdb --owner=…`, so that it belongs to this user.")
                }
                return .problem(
                    check, "\(words), but another program has its tables in the database.",
                    remedy: "Make a database for Lanyard alone: `createdb --owner=lanyard lanyard`.")
            } catch {
                await database.close()
                throw error
            }
        } catch {
            // The words of libpq can quote the address, with its password.
            let words = "\(error)".replacingOccurrences(of: location, with: "the address")
            return .problem(
                check, words,
                remedy: namesServer(location)
                    ? "Start PostgreSQL, and check the address and the password." : "Check the file and its folder.")
        }
    }

    private static func beforeSetup(ofFile path: String) throws -> Finding {
        guard !FileManager.default.fileExists(atPath: path) else {
            guard try isSQLiteFile(path, withTable: "schema_step") else {
                return .problem(check, "\(path) is another program's.", remedy: "Name another folder with --data.")
            }
            return .ok(check, "SQLite, in \(path), which is there already.")
        }
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while !FileManager.default.fileExists(atPath: folder), folder != "/" {
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
        // As the user who it is done for, and not the one who has started the command.
        guard faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 else {
            return .problem(
                check, "\(path) cannot be made: \(folder) is not open to this user.",
                remedy: "Run this as the user to whom the folder belongs, or name another one with --data.")
        }
        return .ok(check, "SQLite, in \(path).")
    }

    /// - Returns: the findings, and whether the records can be checked as well.
    private static func examine(_ database: any Database) async -> (findings: [Finding], isReadable: Bool) {
        let known = Schema.migrations.count
        do {
            guard let step = try await database.read({ try $0.appliedStep() }) else { return ([foreign], false) }
            if step > known {
                let newer = DatabaseError.newerSchema(found: step, known: known)
                return ([.problem(check, "\(newer)", remedy: "Upgrade Lanyard.")], false)
            }
            let damage = try await damage(of: database)
            if step < known {
                let older = Finding.warning(
                    check, "The schema is at step \(step) of \(known).",
                    remedy: "The next start of the server brings it up to date; make a backup before.")
                return (damage + [older], false)
            }
            let problems = damage + (await refusal(by: database)) + (try await crowding(of: database))
            let well = Finding.ok(check, "It can be read and written, is whole, and up to date (schema \(step)).")
            return (problems.isEmpty ? [well] : problems, true)
        } catch {
            return ([unusable(error)], false)
        }
    }

    private static func damage(of database: any Database) async throws -> [Finding] {
        let damage = try await database.read { try $0.damage() }
        guard !damage.isEmpty else { return [] }
        return [
            .problem(
                check, "The file is damaged: \(damage.joined(separator: "; ")).",
                remedy: "Stop the server, keep a copy of the file, and restore your backup.")
        ]
    }

    private static func refusal(by database: any Database) async -> [Finding] {
        do {
            try await database.checkWritable()
            return []
        } catch {
            return [unusable(error)]
        }
    }

    /// With PostgreSQL's own setting, a few hundred people who sign in for the first time while a large import is written
    /// leave no room for the next one.
    private static func crowding(of database: any Database) async throws -> [Finding] {
        let wanted = 1024
        guard let notes = try await database.read({ try $0.notesPerConnection() }), notes < wanted else { return [] }
        return [
            .warning(
                check, "PostgreSQL has little room for transactions beside a long one, such as a large import.",
                remedy: "As PostgreSQL's administrator, `ALTER SYSTEM SET max_pred_locks_per_transaction = \(wanted)` "
                    + "(it is \(notes); the server takes about 30 MB more), and restart PostgreSQL.")
        ]
    }

    private static func unusable(_ error: any Error) -> Finding {
        .problem(
            check, "\(error)",
            remedy: "Run the doctor as the user that runs the server; if that does not help, restore your backup.")
    }
}
