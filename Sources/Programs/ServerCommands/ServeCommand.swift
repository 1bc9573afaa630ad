import Administration
import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Configuration
import Directory
import Foundation
import Ground
import Logging
import NIOCore
import ServerHTTP
import ServiceLifecycle
import SingleSignOn
import Storage
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until Ctrl-C or SIGTERM.")

    @OptionGroup var global: GlobalOptions

    @Option(help: "The address to listen on. [default: 127.0.0.1]")
    var host: String?

    @Option(parsing: .unconditional, help: "The port to listen on; 0 takes a free one. [default: 8080]")
    var port: Int?

    @Option(help: "How people and apps reach the server. [default: http://127.0.0.1:<port>]")
    var baseURL: String?

    @Option(help: "iss of tokens, if it is not the base URL: taken on loopback only.")
    var issuer: String?

    @Flag(help: "Allow return URLs on http loopback, for app developers.")
    var development = false

    @Option(help: "trace, debug, info, notice, warning or error. [default: info]")
    var logLevel: String?

    @Option(help: "text or json. [default: text]")
    var logFormat: String?

    func run() async throws {
        let settings = try await Settings(global, flags: flags)
        let logger = try settings.logger()
        var configuration = try await settings.server()
        configuration.examine = { [global, flags] around in
            // Read anew, because somebody may have changed them for the next start.
            guard let settings = try? await Settings(global, flags: flags) else { return [.settings] }
            let examination = ConditionExamination(settings: settings, now: Surroundings.system.now())
            return await examination.troublesHere() + (around ? examination.troublesAround() : [])
        }
        let signer = try settings.profileSigner(at: Surroundings.system.now())
        let deployment = try await Deployment.open(settings, for: .requests)
        let manager = ServiceManager()
        try await ServerProcess(
            configuration: configuration, deployment: deployment, profileSigner: signer, logger: logger
        )
        .run(beside: [manager]) { url in
            manager.tellReady()
            print("Lanyard is ready at \(url)")
            let isEmpty = try? await deployment.database.read { try Organization.list(in: $0).isEmpty }
            if isEmpty == true {
                print(
                    "There is no organization yet. Begin with `lanyard init --name …` in another terminal."
                        .namingCommands())
            }
            fflush(nil)  // otherwise a pipe would buffer the lines
        }
    }

    private var flags: [AbsoluteConfigKey: ConfigValue] {
        var flags: [AbsoluteConfigKey: ConfigValue] = [:]
        func set(_ key: String, _ value: ConfigContent?) {
            if let value { flags[AbsoluteConfigKey([key])] = ConfigValue(value, isSecret: false) }
        }
        set("host", host.map(ConfigContent.string))
        set("port", port.map(ConfigContent.int))
        set("baseURL", baseURL.map(ConfigContent.string))
        set("issuer", issuer.map(ConfigContent.string))
        set("development", development ? .bool(true) : nil)
        set("logLevel", logLevel.map(ConfigContent.string))
        set("logFormat", logFormat.map(ConfigContent.string))
        return flags
    }
}

/// Runs the server until a signal stops it. Open requests are completed, and the database is closed last.
struct ServerProcess: Sendable {
    let configuration: ServerConfiguration
    let deployment: Deployment
    /// Signs the profiles that the server makes for devices; nil if they are not signed.
    var profileSigner: ProfileSigner?
    let logger: Logger

    /// - Parameters:
    ///   - others: services that run beside the server and end with it.
    ///   - onReady: called with the base URL when connections are accepted.
    func run(beside others: [any Service] = [], onReady: @escaping @Sendable (String) async -> Void) async throws {
        let server: LanyardServer
        var configuration = configuration
        configuration.signOnProfile = ServerProfile.maker(for: configuration, signer: profileSigner)
        do {
            server = try await LanyardServer(
                configuration: configuration, database: deployment.database, masterKey: deployment.masterKey,
                hasher: PasswordHasher(surroundings: deployment.surroundings), surroundings: deployment.surroundings,
                logger: logger)
        } catch {
            await deployment.database.close()
            throw error
        }
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: LanyardServer.notificationClient)
        let baseURL = configuration.baseURL
        do {
            let socket = try ServiceManager.socket(host: configuration.host, port: configuration.port)
            let service = server.service(httpClient: client, listeningAt: socket) { _ in await onReady(baseURL) }
            let group = ServiceGroup(
                configuration: .init(
                    services: (others + [service]).map {
                        .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
                    },
                    gracefulShutdownSignals: [.sigint, .sigterm], logger: logger))
            try await group.run()
        } catch {
            try? await client.shutdown()
            await deployment.database.close()
            throw Self.explain(error, configuration)
        }
        try await client.shutdown()
        await deployment.database.close()
    }

    /// Turns an error of listening on the address into a message for the operator.
    private static func explain(_ error: any Error, _ configuration: ServerConfiguration) -> any Error {
        let (host, port) = (configuration.host, configuration.port)
        if error is SocketAddressError.UnknownHost || error is SocketAddressError {
            return Failure("No address is known for the host “\(host)”. Name an address of this machine with --host.")
        }
        return switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: Failure("Another program listens at \(host):\(port). Choose another port with --port.")
        case EADDRNOTAVAIL: Failure("This machine has no address \(host). Name one that it has with --host.")
        case EACCES: Failure("This user may not listen at port \(port). Choose one from 1024 with --port.")
        default: error
        }
    }
}
