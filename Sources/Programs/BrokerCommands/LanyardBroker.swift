import ArgumentParser
import CommandOutput
import Logging
import SingleSignOn
import SingleSignOnBroker

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The command line of the broker.
package struct LanyardBroker: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lanyard-broker",
        abstract: "Single sign-on for one user of this device: decides which extension answers, and asks it.",
        discussion: """
            It listens on a Unix socket that this user alone can open. systemd starts it when somebody asks first \
            (lanyard-broker.socket); without systemd, start it with the session, and again when it ends with 75 (SIGHUP asks for \
            that): a new version takes its place then.

            Without options it goes by the environment: the socket is LANYARD_SSO_SOCKET, or lanyard/sso.sock in \
            XDG_RUNTIME_DIR; the user's profiles are in XDG_CONFIG_HOME, what is kept in XDG_STATE_HOME.
            """)

    @Option(help: "The Unix socket.", completion: .file())
    var socket: String?

    @Option(help: "The folder of the device's profiles.", completion: .directory)
    var deviceProfiles: String?

    @Option(
        name: .customLong("drop-ins"),
        help: """
            A further folder of the device's profiles, into which files are put by hand; with --device-profiles there is none \
            unless this names it.
            """, completion: .directory)
    var dropIns: String?

    @Option(help: "The folder of the user's own profiles.", completion: .directory)
    var userProfiles: String?

    @Option(help: "The file of the device's policy.", completion: .file())
    var policy: String?

    @Flag(help: "Heed the user's own profiles, even if the device's policy does not say so.")
    var allowUserProfiles = false

    @Option(
        name: .customLong("extensions"),
        help: "A folder of extensions' manifests. May be repeated; it takes the place of the system's folders.",
        completion: .directory)
    var extensionFolders: [String] = []

    @Option(help: "Where to keep what domains have said, and what extensions keep.", completion: .directory)
    var state: String?

    @Flag(
        name: .customLong("author"),
        help: """
            For authors of extensions: start those too that belong to this user, and not to root, and let a debugger stop \
            any.
            """)
    var isForAuthors = false

    @Flag(
        name: .customLong("unload"),
        help: """
            For authors of extensions: unload every extension after every request, so that what it forgot to write is \
            missing the next time.
            """)
    var unloadsAfterEveryRequest = false

    @Option(help: "Seconds without a request after which an extension is unloaded.")
    var idle = 10

    @Option(help: "Seconds within which an extension has to answer while it shows nothing.")
    var silentLimit = 60

    @Option(help: "Seconds within which an extension has to answer while a person is asked.")
    var presentingLimit = 600

    @Option(
        name: .customLong("bridge"),
        help: """
            A program that may draw what extensions present, and speak for a browser. May be repeated; left out, it is \
            lanyard-sso beside this program.
            """,
        completion: .file())
    var bridges: [String] = []

    @Option(
        name: .customLong("terminal-program"),
        help: """
            A program that may draw forms in its own terminal, and so reads what is typed there. May be repeated; for \
            others a page in the browser asks.
            """,
        completion: .file())
    var terminalPrograms: [String] = []

    @Option(help: "The program that opens a page in the browser, instead of xdg-open.", completion: .file())
    var browser: String?

    @Option(
        help: """
            For authors of extensions: a file of authorities (PEM) that vouch for association files besides the public \
            ones.
            """,
        completion: .file())
    var extraRoots: String?

    @Option(
        name: .customLong("domain-address"),
        help: """
            For authors of extensions: name=address, where a domain is, instead of where DNS says. May be repeated.
            """)
    var addresses: [String] = []

    @Option(help: "For authors of extensions: the port at which association files are asked for, instead of 443.")
    var domainPort: Int?

    @Flag(help: "Heed ?mode=developer in associated domains: no certificate is asked for then.")
    var developerMode = false

    @Option(help: "trace, debug, info, notice, warning or error.")
    var logLevel: Logger.Level = .info

    package init() {}

    package static func main() { main(nil) }

    package func validate() throws {
        guard idle >= 0 else { throw ValidationError("--idle is not below 0.") }
        guard silentLimit > 0, presentingLimit > 0 else { throw ValidationError("A limit is above 0.") }
    }

    package func run() throws {
        LoggingSystem.bootstrap { LineLogHandler(label: $0) }
        var logger = Logger(label: "lanyard-broker")
        logger.logLevel = logLevel
        guard try BrokerService(settings(), logger: logger).run() else { return }
        // The unit of systemd and the desktop's autostart start the program anew for this status.
        throw ExitCode(75)
    }

    /// The command that fetches one association file by the same rules. It is a program of its own, because the broker speaks to no
    /// network itself, and needs nothing for it.
    private var fetchCommand: [String] {
        var command = [Self.besideThisProgram("lanyard-sso"), "fetch-association-file"]
        if let extraRoots { command += ["--extra-roots", Self.absolute(extraRoots)] }
        if let domainPort { command += ["--domain-port", "\(domainPort)"] }
        if developerMode { command.append("--developer-mode") }
        return command + addresses.flatMap { ["--domain-address", $0] }
    }

    private func rules() throws -> AssociationRules {
        do {
            return try AssociationRules(
                extraRoots: extraRoots, addresses: addresses, port: domainPort, heedsDeveloperMode: developerMode)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func settings() throws -> BrokerService.Settings {
        let environment = ProcessInfo.processInfo.environment
        func folder(_ variable: String, or fallback: String) -> String {
            environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? fallback
        }
        let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        var profiles = ProfileStore.Locations.standard(environment: environment)
        if let deviceProfiles { (profiles.device, profiles.dropIns) = (Self.absolute(deviceProfiles), nil) }
        if let dropIns { profiles.dropIns = Self.absolute(dropIns) }
        if let userProfiles { profiles.user = Self.absolute(userProfiles) }
        if let policy { profiles.policy = Self.absolute(policy) }
        var settings = BrokerService.Settings(
            socket: Self.absolute(
                socket
                    ?? folder(
                        "LANYARD_SSO_SOCKET",
                        or: "\(folder("XDG_RUNTIME_DIR", or: "/run/user/\(getuid())"))/lanyard/sso.sock")
            ),
            profiles: profiles,
            stateFolder: Self.absolute(state ?? "\(folder("XDG_STATE_HOME", or: "\(home)/.local/state"))/lanyard/sso"),
            fetchCommand: fetchCommand)
        settings.allowsUserProfiles = allowUserProfiles
        settings.extensions = ExtensionStore(
            folders: extensionFolders.isEmpty ? ExtensionStore.standardFolders : extensionFolders.map(Self.absolute),
            trustsUser: isForAuthors)
        settings.isForAuthors = isForAuthors
        settings.unloadsAfterEveryRequest = unloadsAfterEveryRequest
        settings.idleSeconds = idle
        settings.silentSeconds = silentLimit
        settings.presentingSeconds = presentingLimit
        settings.bridges = Set(bridges.isEmpty ? [Self.besideThisProgram("lanyard-sso")] : bridges.map(Self.absolute))
        settings.terminalPrograms = Set(terminalPrograms.map(Self.absolute))
        settings.browserCommand = browser.map { [Self.absolute($0)] }
        settings.rules = try rules()
        return settings
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    private static func besideThisProgram(_ name: String) -> String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: program).deletingLastPathComponent().path + "/\(name)"
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
