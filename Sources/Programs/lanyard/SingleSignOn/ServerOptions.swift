import ArgumentParser

/// Where the server's data is, for a command whose `--data` is something else: as in ``GlobalOptions`` otherwise.
struct ServerOptions: ParsableArguments {
    @Option(
        help: "With --from-server: the folder of the server's data. [default: lanyard-data]", completion: .directory)
    var serverData: String?

    @Option(
        help: "With --from-server: a SQLite file, or postgres://… [default: lanyard.sqlite in that folder]",
        completion: .file())
    var database: String?

    @Option(
        help: "With --from-server: the file of the master key. [default: master.key in that folder]",
        completion: .file())
    var masterKey: String?

    @Option(
        help: "With --from-server: the configuration file. [default: lanyard.json in that folder]", completion: .file())
    var config: String?

    func global() throws -> GlobalOptions {
        let values = [
            ("--data", serverData), ("--database", database), ("--master-key", masterKey), ("--config", config),
        ]
        return try GlobalOptions.parse(values.flatMap { name, value in value.map { [name, $0] } ?? [] })
    }

    /// - Throws: `ValidationError` if one was named in vain.
    func check(isUsed: Bool) throws {
        guard !isUsed, [serverData, database, masterKey, config].contains(where: { $0 != nil }) else { return }
        throw ValidationError("--server-data, --database, --master-key and --config go with --from-server.")
    }
}
