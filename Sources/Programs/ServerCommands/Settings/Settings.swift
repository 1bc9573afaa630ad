import Administration
import Authorization
import CommandOutput
import Configuration
import Directory
import Foundation
import Logging
import ServerHTTP
import SystemPackage

/// The settings, read once from flags, the environment and one file. The first of these that has a value wins.
///
/// A setting `baseURL` is `--base-url` on the command line, `LANYARD_BASE_URL` in the environment, and
/// `"baseURL"` in the file.
struct Settings {
    let dataFolder: String
    /// A path, or `postgres://…`.
    let databaseLocation: String
    /// The database that counts where nothing names another one.
    var databaseFile: String { Self.databaseFile(in: dataFolder) }
    private static func databaseFile(in folder: String) -> String { "\(folder)/lanyard.sqlite" }
    let masterKeyPath: String
    /// Whether systemd has given the key to the service, in a folder that is gone with it.
    var keyIsCredential: Bool { masterKeyPath == MasterKey.credential() }
    /// The path of the configuration file, which may not exist.
    var filePath: String
    /// Whether return URLs and notification URLs with `http` on loopback are allowed.
    let isDevelopment: Bool
    private let reader: ConfigReader
    private let environment: ConfigReader

    init(_ global: GlobalOptions, flags: [AbsoluteConfigKey: ConfigValue] = [:]) async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let commandLine = InMemoryProvider(
            name: "command line", values: flags.merging(global.values) { flag, _ in flag })
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "lanyard")
        let first = ConfigReader(providers: [commandLine, environment])
        let dataFolder = first.string(forKey: "data", default: "lanyard-data")
        let named = first.string(forKey: "config")
        let path = named ?? "\(dataFolder)/lanyard.json"
        let file: FileProvider<JSONSnapshot>
        do {
            file = try await FileProvider(filePath: FilePath(path), allowMissing: named == nil)
        } catch {
            throw Failure("The configuration file \(path) cannot be read, or is not JSON.")
        }
        reader = ConfigReader(providers: [commandLine, environment, file])
        self.environment = ConfigReader(provider: environment)
        self.dataFolder = dataFolder
        filePath = path
        databaseLocation = reader.string(forKey: "database", default: Self.databaseFile(in: dataFolder))
        masterKeyPath =
            reader.string(forKey: "masterKey") ?? MasterKey.credential() ?? "\(dataFolder)/master.key"
        let reader = reader
        isDevelopment =
            try await Self.value("development", "true or false") { try await reader.fetchBool(forKey: $0) } ?? false
    }

    /// The settings that the file may contain; a dot stands for a nested object.
    static let keys: Set<String> = [
        "database", "masterKey", "host", "port", "baseURL", "issuer", "notificationIssuer", "development",
        "notifyPrivateNetworks",
        "cancelledError",
        "ignoredScopes", "rateLimit.requestsPerSecond", "rateLimit.burst", "requestTimeout", "connectionsMax",
        "connectionsPerAddress", "trustedProxies", "wrongPasswords.burst", "wrongPasswords.perMinute",
        "sessions.idleMinutes", "refreshTokens.idleDays", "refreshTokens.lifetimeDays",
        "abbreviateTimeZones", "flagsAsText", "logLevel", "logFormat", "personalAccounts", "associatedApps",
        "kerberos.keytab", "kerberos.networks",
        "securityContact", "teamsMadeBy", "sandboxes", "pickUpFolder", "nameServers", "backupFolder",
        "profileSigning.certificateFile", "profileSigning.keyFile",
        "mail.from", "mail.maildir", "mail.operator",
        "mail.smtp.url",
        "mail.smtp.userName",
        "mail.smtp.passwordFile", "mail.smtp.caFile", "relay.domain", "relay.listen.socketmap", "relay.listen.policy",
        "relay.listen.milter",
    ]

    /// The settings that are paths of files or folders.
    static let paths = [
        "database", "masterKey", "backupFolder", "pickUpFolder", "kerberos.keytab", "mail.maildir",
        "mail.smtp.passwordFile",
        "mail.smtp.caFile", "profileSigning.certificateFile", "profileSigning.keyFile",
    ]

    /// - Throws: ``Failure`` for a value of another type: a mistyped limit must not be replaced by the default.
    private static func value<Value>(
        _ key: String, _ kind: String, _ fetch: (ConfigKey) async throws -> Value?
    ) async throws -> Value? {
        do {
            return try await fetch(ConfigKey(stringLiteral: key))
        } catch {
            throw Failure(
                "The setting \(key) is not \(kind). Correct it in the environment or in the configuration file.")
        }
    }

    private func int(_ key: String) async throws -> Int? {
        try await Self.value(key, "a whole number") { try await reader.fetchInt(forKey: $0) }
    }

    private func double(_ key: String) async throws -> Double? {
        try await Self.value(key, "a number") { try await reader.fetchDouble(forKey: $0) }
    }

    private func bool(_ key: String) async throws -> Bool? {
        try await Self.value(key, "true or false") { try await reader.fetchBool(forKey: $0) }
    }

    /// The folder into which `lanyard backup` writes, and in which the doctor looks for the newest copy.
    var backupFolder: String? { text("backupFolder") }

    /// nil if it is not set or empty.
    func text(_ key: String) -> String? {
        reader.string(forKey: ConfigKey(stringLiteral: key)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variable of the environment that has a value for a setting, and so wins over the file; nil if there is none.
    func variable(for key: String) -> String? {
        environment.string(forKey: ConfigKey(stringLiteral: key)).map { _ in Self.variable(key) }
    }

    /// The variable for a setting, such as `LANYARD_MAIL_SMTP_USER_NAME` for `mail.smtp.userName`.
    static func variable(_ key: String) -> String {
        var name = "LANYARD_"
        var isAfterSmall = false
        for letter in key {
            if letter.isUppercase, isAfterSmall { name += "_" }
            name += letter == "." ? "_" : letter.uppercased()
            isAfterSmall = letter.isLowercase
        }
        return name
    }

    /// - Throws: ``ServerConfiguration/Problem``, ``Failure`` for invalid settings.
    func server() async throws -> ServerConfiguration {
        let host = reader.string(forKey: "host", default: "127.0.0.1")
        let asked = try await int("port") ?? 8_080
        try ServerConfiguration.checkListening(host: host, port: asked)
        // Base URL and issuer contain the port, so a free one is chosen here and not when binding.
        let port = asked == 0 ? LoopbackPort.free(preferring: 0) : asked
        var server = try ServerConfiguration(
            baseURL: reader.string(forKey: "baseURL", default: "http://127.0.0.1:\(port)"),
            issuer: reader.string(forKey: "issuer"))
        server.host = host
        server.port = port
        if let issuer = reader.string(forKey: "notificationIssuer") { server.notificationIssuer = issuer }
        server.isDevelopment = isDevelopment
        server.notifiesPrivateNetworks = try await bool("notifyPrivateNetworks") ?? false
        server.cancelledError = reader.string(forKey: "cancelledError", default: server.cancelledError)
        server.ignoredScopes = Set(reader.stringArray(forKey: "ignoredScopes", default: []))
        if let rate = try await double("rateLimit.requestsPerSecond") { server.rateLimit.requestsPerSecond = rate }
        if let burst = try await double("rateLimit.burst") { server.rateLimit.burst = burst }
        if let seconds = try await int("requestTimeout") { server.requestTimeout = .seconds(seconds) }
        if let connections = try await int("connectionsMax") { server.connectionsMax = connections }
        server.connectionsPerAddress = try await int("connectionsPerAddress")
        server.trustedProxies += reader.stringArray(forKey: "trustedProxies", default: [])
        if let burst = try await double("wrongPasswords.burst") { server.wrongPasswords.burst = burst }
        if let rate = try await double("wrongPasswords.perMinute") { server.wrongPasswords.perMinute = rate }
        if let minutes = try await double("sessions.idleMinutes") { server.sessionIdle = minutes * 60 }
        if let days = try await double("refreshTokens.idleDays") { server.refreshTokens.idle = days * 86_400 }
        if let days = try await double("refreshTokens.lifetimeDays") { server.refreshTokens.absolute = days * 86_400 }
        server.abbreviatesTimeZones = try await bool("abbreviateTimeZones") ?? false
        server.flagsAsText = try await bool("flagsAsText") ?? false
        server.mail = try mail()
        server.personalAccounts = try await bool("personalAccounts") ?? true
        server.relay = try relay()
        let apps = try await Self.value("associatedApps", "a list of texts") {
            try await reader.fetchStringArray(forKey: $0)
        }
        if let apps { server.associatedApps = apps.filter { !$0.isEmpty } }
        if let text = text("teamsMadeBy") {
            guard let founding = DeveloperRules.Founding(rawValue: text) else {
                throw Failure(
                    "teamsMadeBy is \(text); it can be "
                        + DeveloperRules.Founding.allCases.map(\.rawValue).joined(separator: ", ") + ".")
            }
            server.teamsMadeBy = founding
        }
        server.kerberos = try await kerberos()
        server.sandboxes = try await bool("sandboxes") ?? true
        server.securityContact = text("securityContact")
        server.pickUpFolder = text("pickUpFolder")
        server.nameServers = text("nameServers")
        try server.check()
        return server
    }

    /// - Throws: ``Failure`` for networks without a keytab, with which nobody would be asked for a ticket.
    private func kerberos() async throws -> KerberosConfiguration? {
        let networks = try await Self.value("kerberos.networks", "a list of texts") {
            try await reader.fetchStringArray(forKey: $0)
        }
        let named = networks?.filter { !$0.isEmpty } ?? []
        guard let keytab = text("kerberos.keytab") else {
            guard named.isEmpty else {
                throw Failure(
                    "kerberos.networks is set without kerberos.keytab. Name the keytab, or take the networks away.")
            }
            return nil
        }
        return KerberosConfiguration(keytab: keytab, networks: named)
    }

    /// - Throws: ``Failure`` for an unknown level or format.
    func logger() throws -> Logger {
        let levelText = reader.string(forKey: "logLevel", default: "info")
        guard let level = Logger.Level(rawValue: levelText) else {
            throw Failure(
                "logLevel is \(levelText); it can be \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let format = reader.string(forKey: "logFormat", default: "text")
        guard ["text", "json"].contains(format) else {
            throw Failure("logFormat is \(format); it can be text or json.")
        }
        let asJSON = format == "json"
        var logger = Logger(label: "lanyard") { label -> any LogHandler in
            if asJSON { JSONLogHandler() } else { PrintableLogHandler(LineLogHandler(label: label)) }
        }
        logger.logLevel = level
        return logger
    }
}
