import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import Schema
import Storage

/// One installation: its database with the current schema, and its master key.
struct Deployment: Sendable {
    let database: any Database
    let masterKey: MasterKey
    let surroundings = Surroundings.system

    /// Opens an installation, creating the database and the master key if they do not exist. Callers close the
    /// database, or use ``with(_:makesKey:_:)``.
    /// - Parameters:
    ///   - makesKey: whether to create a master key for a new database; otherwise the key must exist.
    ///   - use: who waits for the database, which decides the lock timeout.
    static func open(
        _ settings: Settings, makesKey: Bool = true, for use: DatabaseUse = .commands
    ) async throws -> Deployment {
        try await open(
            databaseLocation: settings.databaseLocation, masterKeyPath: settings.masterKeyPath, makesKey: makesKey,
            for: use)
    }

    static func open(
        databaseLocation: String, masterKeyPath: String, makesKey: Bool = true, for use: DatabaseUse = .commands
    ) async throws -> Deployment {
        // There is a key but no data: the database was emptied or lost, or its location is mistyped.
        let emptied = Failure(
            """
            There is the master key \(masterKeyPath), but nothing is in the database that it should belong to\
            \(namesServer(databaseLocation) ? "" : ", \(databaseLocation)"). Check --database and --data, or restore your \
            backup. To begin anew, move the key away first.
            """)
        let hasKey = makesKey && FileManager.default.fileExists(atPath: masterKeyPath)
        if hasKey, !namesServer(databaseLocation), try isNewFile(databaseLocation) { throw emptied }
        if !namesServer(databaseLocation) {
            let folder = URL(fileURLWithPath: databaseLocation).deletingLastPathComponent().path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // A mistyped location must not create our tables in another program's database, or change the journal mode of
        // its file.
        let foreign = Failure.foreignDatabase
        if !makesKey, !namesServer(databaseLocation), try !isSQLiteFile(databaseLocation, withTable: "schema_step") {
            throw foreign
        }
        let database = try openDatabase(at: databaseLocation, for: use)
        do {
            if hasKey || !makesKey, try await database.read({ try $0.appliedStep() }) == nil {
                throw hasKey ? emptied : foreign
            }
            try await database.migrate(Schema.migrations)
            return Deployment(
                database: database,
                masterKey: try await MasterKey.load(
                    path: masterKeyPath, for: database, mayMake: makesKey, surroundings: .system))
        } catch {
            await database.close()
            throw error
        }
    }

    /// Whether there is no file, or no table of Lanyard in it.
    private static func isNewFile(_ path: String) throws -> Bool {
        try !FileManager.default.fileExists(atPath: path) || !isSQLiteFile(path, withTable: "schema_step")
    }

    /// Opens an installation, runs `body`, and closes the database.
    static func with<Value>(
        _ global: GlobalOptions, makesKey: Bool = true, _ body: (Deployment, Settings) async throws -> Value
    ) async throws -> Value {
        let settings = try await Settings(global)
        let deployment = try await open(settings, makesKey: makesKey)
        do {
            let value = try await body(deployment, settings)
            await deployment.database.close()
            return value
        } catch {
            await deployment.database.close()
            throw error
        }
    }

    var now: Date { surroundings.now() }
}
