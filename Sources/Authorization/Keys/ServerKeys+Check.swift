import Storage

extension ServerKeys {
    /// Opens everything that is sealed under the master key, and makes nothing.
    /// - Throws: ``MasterKey/Problem/doesNotFit``
    package static func check(_ masterKey: MasterKey, in transaction: some Transaction) throws {
        try transaction.forEach("SELECT purpose, sealed_key FROM server_key ORDER BY key_id") { row in
            _ = try masterKey.open(try row[1], for: try row[0])
        }
        for team in try Team.list(in: transaction) { _ = try team.identifiers(under: masterKey) }
    }
}
