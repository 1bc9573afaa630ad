import Configuration
import Foundation
import Logging
import Server
import SystemPackage

/// What the program was told, by flags, environment and one file, in this order. Read once.
///
/// A setting `baseURL` is `--base-url` on the command line, `LANYARD_BASE_URL` in the environment, and
/// `"baseURL"` in the file.
struct Settings {
    let dataFolder: String
    /// A path, or `postgres://…`.
    let databaseLocation: String
    let masterKeyPath: String
    private let reader: ConfigReader

    init(_ global: GlobalOptions, flags: [AbsoluteConfigKey: ConfigValue] = [:]) async throws {
        let commandLine = InMemoryProvider(
            name: "command line", values: flags.merging(global.values) { flag, _ in flag })
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "lanyard")
        let first = ConfigReader(providers: [commandLine, environment])
        let dataFolder = first.string(forKey: "data", default: "lanyard-data")
        let named = first.string(forKey: "config")
        let file = try await FileProvider<JSONSnapshot>(
            filePath: FilePath(named ?? "\(dataFolder)/lanyard.json"), allowMissing: named == nil)
        reader = ConfigReader(providers: [commandLine, environment, file])
        self.dataFolder = dataFolder
        databaseLocation = reader.string(forKey: "database", default: "\(dataFolder)/lanyard.sqlite")
        masterKeyPath = reader.string(forKey: "masterKey", default: "\(dataFolder)/master.key")
    }

    /// - Throws: ``ServerConfiguration/Problem``
    func server() throws -> ServerConfiguration {
        let host = reader.string(forKey: "host", default: "127.0.0.1")
        let asked = reader.int(forKey: "port", default: 8_080)
        // Base URL and issuer name the port, so a free one is looked for now and not when binding.
        let port = asked == 0 ? LoopbackPort.free(preferring: 0) : asked
        var server = try ServerConfiguration(
            baseURL: reader.string(forKey: "baseURL", default: "http://127.0.0.1:\(port)"),
            issuer: reader.string(forKey: "issuer"))
        server.host = host
        server.port = port
        if let issuer = reader.string(forKey: "notificationIssuer") { server.notificationIssuer = issuer }
        server.isDevelopment = isDevelopment
        server.cancelledError = reader.string(forKey: "cancelledError", default: server.cancelledError)
        server.ignoredScopes = Set(reader.stringArray(forKey: "ignoredScopes", default: []))
        server.rateLimit.requestsPerSecond = reader.double(
            forKey: "rateLimit.requestsPerSecond", default: server.rateLimit.requestsPerSecond)
        server.rateLimit.burst = reader.double(forKey: "rateLimit.burst", default: server.rateLimit.burst)
        server.abbreviatesTimeZones = reader.bool(forKey: "abbreviateTimeZones", default: false)
        return server
    }

    /// Allows return URLs and notifications on `http` loopback.
    var isDevelopment: Bool { reader.bool(forKey: "development", default: false) }

    func logger() -> Logger {
        let level = Logger.Level(rawValue: reader.string(forKey: "logLevel", default: "info")) ?? .info
        let asJSON = reader.string(forKey: "logFormat", default: "text") == "json"
        var logger = Logger(label: "lanyard") { label -> any LogHandler in
            if asJSON { JSONLogHandler() } else { StreamLogHandler.standardError(label: label) }
        }
        logger.logLevel = level
        return logger
    }
}
