import Foundation
import Schema
import Storage

/// Whether the database can be reached, is Lanyard's, whole, and takes writes.
struct DatabaseExamination {
    /// Opened, with the schema that this program knows; nil if nothing more can be found out.
    let database: (any Database)?
    let findings: [Finding]

    private static let check = "database"
    private static let foreign = Finding.problem(
        check, "This is no database of Lanyard's.",
        remedy: "Check --database and --data, or begin with `lanyard init`.")

    static func open(_ settings: Settings) async -> DatabaseExamination {
        // Opening makes a file where there is none; the doctor changes nothing.
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
            // Opening one to use it changes how it keeps its journal: not before it is known to be Lanyard's.
            if !settings.databaseIsServer, try !isSQLiteFile(settings.databaseLocation, withTable: "schema_step") {
                return DatabaseExamination(database: nil, findings: [foreign])
            }
            let database = try openDatabase(at: settings.databaseLocation)
            let findings = await examine(database)
            guard findings.allSatisfy({ $0.status == .ok }) else {
                await database.close()
                return DatabaseExamination(database: nil, findings: findings)
            }
            return DatabaseExamination(database: database, findings: findings)
        } catch {
            return DatabaseExamination(
                database: nil,
                findings: [
                    .problem(
                        check, "\(error)",
                        remedy: settings.databaseIsServer
                            ? "Start PostgreSQL, and check the address and the password."
                            : "Check the file's owner, or restore your backup.")
                ])
        }
    }

    private static func examine(_ database: any Database) async -> [Finding] {
        let known = Schema.migrations.count
        do {
            let (step, damage) = try await database.read { (try $0.appliedStep(), try $0.damage()) }
            guard damage.isEmpty else {
                return [
                    .problem(
                        check, "The file is damaged: \(damage.joined(separator: "; ")).", remedy: "Restore your backup."
                    )
                ]
            }
            guard let step else { return [foreign] }
            if step > known {
                return [
                    .problem(
                        check, "\(DatabaseError.newerSchema(found: step, known: known))", remedy: "Upgrade Lanyard.")
                ]
            }
            if step < known {
                return [
                    .warning(
                        check, "The schema is at step \(step) of \(known).",
                        remedy: "The next start of `lanyard serve` brings it up to date; make a backup before.")
                ]
            }
            try await database.checkWritable()
            return [.ok(check, "It can be read and written, is whole, and up to date (schema \(step)).")]
        } catch {
            return [
                .problem(
                    check, "\(error)",
                    remedy:
                        "Run the doctor as the user that runs the server; if that does not help, restore your backup.")
            ]
        }
    }
}
