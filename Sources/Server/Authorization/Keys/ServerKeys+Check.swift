import Directory
import Ground
import Storage

extension ServerKeys {
    /// Checks that the master key opens everything that is sealed; creates nothing.
    /// - Throws: ``MasterKey/Problem/doesNotFit``
    package static func check(_ masterKey: MasterKey, in transaction: some Transaction) throws {
        try transaction.forEach("SELECT purpose, sealed_key FROM server_key ORDER BY key_id") { row in
            _ = try masterKey.open(try row["sealed_key"], for: try row["purpose"])
        }
        for team in try Team.list(in: transaction) { _ = try team.identifiers(under: masterKey) }
    }
}

extension MasterKey {
    /// Loads the master key of a database from its file, after checking that it opens everything that is sealed there.
    /// - Parameter mayMake: whether to make a missing file. Even then it is made only if nothing is sealed yet: a
    ///   second key could not open what the first one sealed.
    /// - Throws: ``Problem``
    package static func load(
        path: String, for database: any Database, mayMake: Bool, surroundings: Surroundings
    ) async throws -> MasterKey {
        let isUsed = try await database.read {
            try $0.exists("SELECT 1 FROM server_key") || $0.exists("SELECT 1 FROM team")
        }
        let key = try mayMake && !isUsed ? load(path: path, surroundings: surroundings) : read(path: path)
        do {
            try await database.read { try ServerKeys.check(key, in: $0) }
        } catch Problem.doesNotFit {
            throw Problem.foreign(path: path)
        }
        return key
    }
}
