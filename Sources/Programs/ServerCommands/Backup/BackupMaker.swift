import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import Schema
import Storage

/// Copies the database of an installation while it serves, and reads the copy back before it counts as one.
struct BackupMaker {
    let settings: Settings
    let folder: BackupFolder
    var surroundings = Surroundings.system

    /// - Throws: ``Failure``, ``DatabaseError``, ``MasterKey/Problem``; then nothing is left in the folder, and no older copy is touched.
    func make() async throws -> BackupFolder.Entry {
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        folder.removeDrafts()
        try settings.checkDatabaseExists()
        let database = try openDatabase(at: settings.databaseLocation)
        do {
            let entry = try await copy(database)
            await database.close()
            return entry
        } catch {
            folder.removeDrafts()
            await database.close()
            throw error
        }
    }

    private func copy(_ database: any Database) async throws -> BackupFolder.Entry {
        // The database is copied as it is: a new version is not to change it just before a copy for going back is made.
        guard let step = try await database.read({ try $0.appliedStep() }) else { throw Failure.foreignDatabase }
        let known = Schema.migrations.count
        guard step <= known else { throw DatabaseError.newerSchema(found: step, known: known) }
        let masterKey =
            step == known
            ? try await MasterKey.load(
                path: settings.masterKeyPath, for: database, mayMake: false, surroundings: surroundings)
            : try MasterKey.read(path: settings.masterKeyPath)
        // To the second, as the manifest has it.
        let now = Date(timeIntervalSince1970: surroundings.now().timeIntervalSince1970.rounded(.down))
        let stem = folder.newStem(at: now)
        let name = stem + BackupManifest.ending(of: database.dialect)
        let content =
            switch database.dialect {
            case .sqlite: try await copyFile(database, to: folder.draft(name))
            case .postgres: try await dump(database, to: folder.draft(name))
            }
        try syncFile(folder.draft(name))
        let copy = try BackupManifest.Part(of: folder.draft(name), named: name)
        // After the copy, so that whoever is erased and what is closed meanwhile is in the list in any case.
        let erasures =
            step == known
            ? try await writeErasures(of: database, as: stem + BackupManifest.erasuresEnding) : nil
        let manifest = BackupManifest(
            lanyardBackup: BackupManifest.format, madeAt: now, version: Version.full, database: database.dialect,
            schemaStep: content.step, copy: copy, rows: content.rows, erasures: erasures,
            masterKey: masterKey.fingerprint)
        try folder.write(
            try BackupManifest.encoder.encode(manifest), to: folder.draft(stem + BackupManifest.ending))
        if step == known {
            try await database.write { transaction in
                try AuditEntry(
                    .backupMade, by: .operator, on: "database", outcome: .done,
                    detail: "\(name), SHA-256 \(copy.sha256)", from: .commandLine
                ).append(to: nil, at: now, in: transaction)
            }
        }
        let entry = BackupFolder.Entry(stem: stem, manifest: manifest)
        do {
            for name in entry.files { try folder.publish(name) }
            try syncFolder(of: "\(folder.path)/\(name)")
        } catch {
            try? folder.remove(entry)
            throw error
        }
        return entry
    }

    private typealias Content = (step: Int, rows: [String: Int])

    private func copyFile(_ database: any Database, to path: String) async throws -> Content {
        let copy = try await SQLiteCopy.make(of: database, at: path)
        let found = try copy.examine(counting: BackupManifest.tables)
        guard found.damage.isEmpty else {
            throw Failure(
                """
                The database is damaged, so its copy was not kept: \(found.damage.joined(separator: "; ")). Stop the \
                server, and go back to an older copy with `lanyard restore`.
                """)
        }
        guard let step = found.step else { throw Failure.foreignDatabase }
        return (step, found.rows)
    }

    private func dump(_ database: any Database, to path: String) async throws -> Content {
        let tools = try PostgresTools(location: settings.databaseLocation)
        let content: Content = try await database.session { session in
            // While this transaction lasts, pg_dump sees what it sees.
            try session.read { transaction in
                guard let snapshot = try transaction.exportSnapshot(), let version = try transaction.serverVersion(),
                    let step = try transaction.appliedStep()
                else { throw Failure.foreignDatabase }
                var rows: [String: Int] = [:]
                for table in BackupManifest.tables { rows[table] = try transaction.rows(of: table) }
                try tools.dump(to: path, snapshot: snapshot, serverVersion: version)
                return (step, rows)
            }
        }
        try PostgresTools.verify(path)
        return content
    }

    private func writeErasures(of database: any Database, as name: String) async throws -> BackupManifest.Part {
        try folder.write(try await ErasureFile(of: database).encoded(), to: folder.draft(name))
        return try BackupManifest.Part(of: folder.draft(name), named: name)
    }
}
