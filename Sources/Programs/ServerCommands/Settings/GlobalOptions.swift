import ArgumentParser
import Configuration
import Foundation

/// Options of all commands: where the data is, or which server has it.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: "The folder of the data: lanyard.sqlite, master.key, lanyard.json. [default: lanyard-data]",
        completion: .directory)
    var data: String?

    @Option(help: "A SQLite file, or postgres://… [default: lanyard.sqlite in the data folder]", completion: .file())
    var database: String?

    @Option(help: "The file of the master key. [default: master.key in the data folder]", completion: .file())
    var masterKey: String?

    @Option(help: "The configuration file. [default: lanyard.json in the data folder]", completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            """
            Work on this server, to which `lanyard login` has signed you in, instead of on the data here. The \
            environment variable LANYARD_SERVER does the same.
            """, valueName: "https://…"))
    var server: String?

    /// The server that is to do the work; nil for the data on this machine.
    /// - Throws: ``Failure`` if it is no address of a server.
    var remote: ServerAddress? {
        get throws { try (server ?? ProcessInfo.processInfo.environment["LANYARD_SERVER"]).map(ServerAddress.init) }
    }

    var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        func set(_ key: String, _ value: String?) {
            if let value { values[AbsoluteConfigKey([key])] = ConfigValue(.string(value), isSecret: false) }
        }
        set("data", data)
        set("database", database)
        set("masterKey", masterKey)
        set("config", config)
        return values
    }
}
