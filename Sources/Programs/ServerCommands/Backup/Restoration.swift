import Administration
import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import Schema
import Storage

/// Puts a copy in the place of the database.
///
/// The copy is made ready first, as a file beside the database or, with PostgreSQL, in an empty database: it gets the schema of
/// this program, people are erased from it who were erased since, and organizations are closed that were closed since.
/// Only then a server can open it.
struct Restoration {
    let settings: Settings
    let folder: BackupFolder
    let entry: BackupFolder.Entry
    let masterKey: MasterKey
    /// Who was erased and what was closed, as far as lists say it.
    var list: ErasureList
    /// When the newest list was written that lies beside the copy; nil if there is none.
    let listedAt: Date?
    var surroundings = Surroundings.system

    struct Report: Encodable {
        let copy: String
        let madeAt: Date
        let schemaStep: Int
        /// Where the database is that was there before; nil if there was none.
        var aside: String?
        var erasures = ErasureReplay()
        /// What was revoked since the copy was made, and is valid again; nil if that is not known.
        var revokedSince: [RevokedConsent]?
        /// What could not be done, and matters.
        var notes: [String] = []
    }

    struct RevokedConsent: Encodable {
        let organization: String
        let app: String
        let revokedAt: Date
        let consent: Consent

        private enum CodingKeys: String, CodingKey {
            case organization, app, revokedAt
        }
    }

    private var manifest: BackupManifest { entry.manifest }
    private var copy: String { folder.file(manifest.copy) }

    /// Reads a copy and what belongs to it, and compares it with this installation; changes nothing.
    /// - Parameters:
    ///   - path: of the copy, or of its manifest.
    ///   - lists: files with erasures besides those in the folder of the copy.
    /// - Throws: ``Failure``, ``MasterKey/Problem``
    init(of path: String, lists: [String], settings: Settings) throws {
        self.settings = settings
        let url = URL(fileURLWithPath: path)
        folder = BackupFolder(path: url.deletingLastPathComponent().path)
        let entries = folder.entries()
        guard let entry = entries.first(where: { $0.files.contains(url.lastPathComponent) }) else {
            throw Self.noCopy(path)
        }
        self.entry = entry
        let manifest = entry.manifest
        let known = Schema.migrations.count
        guard manifest.schemaStep <= known else {
            throw Failure(
                """
                \(path) was made by Lanyard \(manifest.version), and has the schema \(manifest.schemaStep); this program is \
                Lanyard \(Version.full) and knows \(known). Install that version, and run its `lanyard restore`.
                """)
        }
        guard manifest.database == (settings.databaseIsServer ? .postgres : .sqlite) else {
            throw Failure(
                manifest.database == .postgres
                    ? "\(path) is a copy of a database in PostgreSQL. Name an empty one with --database postgres://…"
                    : "\(path) is a copy of a SQLite file, and --database names a PostgreSQL server.")
        }
        masterKey = try MasterKey.read(path: settings.masterKeyPath)
        guard masterKey.fingerprint == manifest.masterKey else {
            throw Failure(
                """
                The master key \(settings.masterKeyPath) is not the one of this copy: nothing that is sealed in it could be opened. \
                Put the key in place that belongs to the copy (its fingerprint is \(manifest.masterKey)), or say with \
                --master-key where it is.
                """)
        }
        // Every list counts that is there: each has all erasures up to its day, and one of a day after the copy is wanted.
        let listed = entries.filter { $0.manifest.masterKey == manifest.masterKey && $0.manifest.erasures != nil }
        listedAt = listed.map(\.manifest.madeAt).max()
        list = ErasureList()
        for part in listed.compactMap(\.manifest.erasures) {
            try part.check(folder.file(part))
            list.add(try ErasureList(reading: folder.file(part)))
        }
        for file in lists { list.add(try ErasureList(reading: file)) }
    }

    private static func noCopy(_ path: String) -> Failure {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return Failure("There is no \(path).")
        }
        guard isFolder.boolValue else {
            return Failure(
                "\(path) is no copy that `lanyard backup` has made: there is no manifest of it in its folder.")
        }
        let copies = BackupFolder(path: path).entries().map { "  \(path)/\($0.manifest.copy.file)" }
        return Failure(
            copies.isEmpty
                ? "There is no copy in \(path) that `lanyard backup` has made."
                : "Name one of the copies, the newest first:\n\n\(copies.joined(separator: "\n"))")
    }

    /// Whether there is a database that would be moved aside.
    var replacesDatabase: Bool {
        !settings.databaseIsServer && FileManager.default.fileExists(atPath: settings.databaseLocation)
    }

    /// - Throws: ``Failure``, ``DatabaseError``; then the database is as it was.
    func carryOut() async throws -> Report {
        try settings.databaseIsServer ? await fillServer() : await replaceFile()
    }

    // MARK: SQLite

    private func replaceFile() async throws -> Report {
        let path = settings.databaseLocation
        try CommandOutput.Folder.make(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        var lock: SQLiteFileLock?
        if replacesDatabase {
            lock = try SQLiteFileLock(path: path)
            guard lock != nil else {
                throw Failure(
                    "A server or another command has \(path) open. Stop it first, for example with `systemctl stop lanyard`."
                )
            }
        }
        var report = Report(copy: copy, madeAt: manifest.madeAt, schemaStep: manifest.schemaStep)
        let staged = "\(path).restoring"
        let aside = lock.map { _ in "\(path).before-\(BackupFolder.stamp(surroundings.now()))" }
        var isBegun = false
        do {
            var list = list
            if let lock, let aside {
                try lock.copy(to: aside)
                report.aside = aside
                list.add(await whatHappenedSince(in: aside, &report))
            }
            try await stage(at: staged, repeating: list, &report)
            isBegun = true
            if let lock {
                try lock.replace(by: staged)
            } else {
                try Self.put(staged, at: path)
            }
        } catch {
            Self.remove(staged)
            // From then on what is aside can be all that there is of the newest changes.
            if let aside, !isBegun { Self.remove(aside) }
            throw error
        }
        return report
    }

    /// Puts a file where none is. A server that was started meanwhile may have made a database there.
    private static func put(_ staged: String, at path: String) throws {
        guard link(staged, path) == 0 else {
            throw errno == EEXIST
                ? Failure("Somebody has made \(path) meanwhile. Nothing was changed.")
                : Failure("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        unlink(staged)
        try syncFolder(of: path)
    }

    private static func remove(_ database: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(database + ending) }
    }

    private func stage(at path: String, repeating list: ErasureList, _ report: inout Report) async throws {
        // One that was killed has left it.
        Self.remove(path)
        try FileManager.default.copyItem(atPath: copy, toPath: path)
        chmod(path, 0o600)
        guard try BackupManifest.Part(of: path, named: manifest.copy.file) == manifest.copy else {
            throw Failure("\(copy) is damaged: it is not the file that its manifest describes. Take another copy.")
        }
        let found = try SQLiteCopy(path: path).examine(counting: BackupManifest.tables)
        guard found.damage.isEmpty, found.step == manifest.schemaStep, found.rows == manifest.rows else {
            throw Failure(
                "\(copy) does not have what its manifest says. \(found.damage.joined(separator: "; "))")
        }
        try await makeReady(try openDatabase(at: path), repeating: list, &report)
        try syncFile(path)
    }

    /// Reads in the database that is moved aside what the copy cannot know. It may be damaged; then lists have to do.
    private func whatHappenedSince(in aside: String, _ report: inout Report) async -> ErasureList {
        let unread = """
            Who was erased and what was closed since the last list was written could not be read from the database that was there. \
            If there is a newer list, run `lanyard erasure replay` with it before the server starts.
            """
        do {
            guard try isSQLiteFile(aside, withTable: "schema_step") else { throw Failure.foreignDatabase }
            let database = try openDatabase(at: aside)
            do {
                guard try await database.read({ try $0.appliedStep() }) == Schema.migrations.count else {
                    throw Failure.foreignDatabase
                }
                let file = try await ErasureFile(of: database)
                report.revokedSince = try await revoked(in: database)
                await database.close()
                return ErasureList(file)
            } catch {
                await database.close()
                throw error
            }
        } catch {
            report.notes.append(unread)
            return ErasureList()
        }
    }

    private func revoked(in database: any Database) async throws -> [RevokedConsent] {
        let madeAt = manifest.madeAt
        return try await database.read { transaction in
            try Organization.list(in: transaction).flatMap { organization in
                try Consent.list(of: organization.id, in: transaction).compactMap { consent in
                    guard let revokedAt = consent.revokedAt, revokedAt >= madeAt else { return nil }
                    return RevokedConsent(
                        organization: organization.name,
                        app: try App.find(consent.appID, in: transaction)?.name ?? "an app that is gone",
                        revokedAt: revokedAt, consent: consent)
                }
            }
        }
    }

    // MARK: PostgreSQL

    private func fillServer() async throws -> Report {
        let tools = try PostgresTools(location: settings.databaseLocation)
        try await checkNobodyIsThere()
        try manifest.copy.check(copy)
        try tools.restore(copy)
        var report = Report(copy: copy, madeAt: manifest.madeAt, schemaStep: manifest.schemaStep)
        let newest = listedAt.map { "The newest list beside the copy is of \($0.minuteText) UTC." }
        report.notes.append(
            """
            \(newest ?? "There is no list beside the copy.") Who was erased and what was closed later is not known here. If the former \
            database can still be read, make a copy of it with `lanyard backup`, and run `lanyard erasure replay` with that copy's \
            .erasures.json before the server starts. If it cannot, look yourself for organizations that should be closed: \
            `lanyard org list`.
            """)
        do {
            let database = try openDatabase(at: settings.databaseLocation)
            do {
                try await compare(database)
            } catch {
                await database.close()
                throw error
            }
            try await makeReady(database, repeating: list, &report)
        } catch {
            throw Failure(
                """
                The copy is in the database, but it is not ready, and no server may be started with it: \(error) Drop the \
                database, make an empty one, and try again.
                """)
        }
        return report
    }

    private func checkNobodyIsThere() async throws {
        // One connection for reading, so that this program is not taken for somebody else.
        let database = try PostgresDatabase(connectionString: settings.databaseLocation, connections: 1)
        do {
            let (isEmpty, isShared) = try await database.read { (try $0.isEmptyDatabase(), try $0.isShared()) }
            guard isEmpty else {
                throw Failure(
                    """
                    The database is not empty. Make a new one with `createdb`, name it with --database, and put its address into \
                    the settings afterwards; the old one stays as it is.
                    """)
            }
            guard !isShared else {
                throw Failure("A server or another command is connected to the database. Stop it first.")
            }
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }

    private func compare(_ database: any Database) async throws {
        let found = try await database.read { transaction in
            (
                step: try transaction.appliedStep(),
                rows: try BackupManifest.tables.map { ($0, try transaction.rows(of: $0)) }
            )
        }
        guard found.step == manifest.schemaStep, Dictionary(uniqueKeysWithValues: found.rows) == manifest.rows else {
            throw Failure("It does not have what its manifest says.")
        }
    }

    // MARK: Both

    /// Brings the copy to the schema of this program, does again what the list says, and closes it.
    private func makeReady(
        _ database: any Database, repeating list: ErasureList, _ report: inout Report
    ) async throws {
        do {
            try await database.migrate(Schema.migrations)
            let masterKey = masterKey
            try await database.read { try ServerKeys.check(masterKey, in: $0) }
            let there = try await database.read { try Organization.list(in: $0).map(\.publicID) }
            let administrator = Administrator(
                .operator, from: .commandLine, database: database,
                services: AdministrationServices(
                    surroundings: surroundings, hasher: PasswordHasher(surroundings: surroundings),
                    passwordNotice: nil, masterKey: masterKey))
            try await report.erasures.run(list, alsoIn: there) { change, organization in
                try await administrator.perform(change, in: organization).answer
            }
            report.revokedSince = try await valid(report.revokedSince, in: database)
            let (now, detail) = (surroundings.now(), "\(manifest.copy.file), SHA-256 \(manifest.copy.sha256)")
            try await database.write { transaction in
                try AuditEntry(
                    .backupRestored, by: .operator, on: "database", outcome: .done, detail: detail, from: .commandLine
                ).append(to: nil, at: now, in: transaction)
            }
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }

    /// Leaves out what is not valid again, because the copy does not have it, or the organization was closed again.
    private func valid(_ revoked: [RevokedConsent]?, in database: any Database) async throws -> [RevokedConsent]? {
        let now = surroundings.now()
        return try await database.read { transaction in
            try revoked?.filter { revoked in
                guard let found = try Consent.find(revoked.consent.id, in: transaction) else { return false }
                return found.isAlive(at: now) && found.appID == revoked.consent.appID
                    && found.organizationID == revoked.consent.organizationID
            }
        }
    }
}
