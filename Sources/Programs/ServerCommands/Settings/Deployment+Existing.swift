import CommandOutput
import Foundation
import Storage

extension Deployment {
    /// As ``with(_:makesKey:_:)``, for commands that need existing data. A mistyped folder is an error, so that no new
    /// database and master key are created there.
    static func withExisting<Value>(
        _ global: GlobalOptions, _ body: (Deployment, Settings) async throws -> Value
    ) async throws -> Value {
        let settings = try await Settings(global)
        guard settings.databaseIsServer || FileManager.default.fileExists(atPath: settings.databaseLocation) else {
            throw Failure.noDatabase(settings.databaseLocation)
        }
        return try await with(global, makesKey: false, body)
    }
}

extension Settings {
    /// Whether the database is a PostgreSQL server and not a file.
    var databaseIsServer: Bool { namesServer(databaseLocation) }

    /// - Throws: ``Failure`` if there is no file, or it is another program's; opening it would create or change it.
    func checkDatabaseExists() throws {
        guard !databaseIsServer else { return }
        guard FileManager.default.fileExists(atPath: databaseLocation) else {
            throw Failure.noDatabase(databaseLocation)
        }
        guard try isSQLiteFile(databaseLocation, withTable: "schema_step") else { throw Failure.foreignDatabase }
    }
}

extension Failure {
    fileprivate static func noDatabase(_ location: String) -> Failure {
        Failure(
            """
            There is no database \(location). Name the folder of the data with --data, or begin with `lanyard init`.
            """)
    }

    static let foreignDatabase = Failure(
        "This is no database of Lanyard's. Check --database and --data, or begin with `lanyard init`.")

    /// For commands that read or change more than the API of a server offers.
    static let onlyHere = Failure(
        """
        This command works only on the server itself, with its data: leave out --server, or unset LANYARD_SERVER.
        """)
}
