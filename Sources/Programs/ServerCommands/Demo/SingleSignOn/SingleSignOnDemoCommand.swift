import ArgumentParser
import Foundation
import Logging
import ServerHTTP
import ServiceLifecycle
import Storage

struct SingleSignOnDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play single sign-on: a school's server, a protected web site, a native program, and a device.",
        discussion: """
            Everything is kept in one folder and runs on loopback; nothing of this machine is changed. A second start finds \
            it again. With a display it opens Chromium.
            """)

    @Option(help: "The folder of the demo.", completion: .directory)
    var folder = ".demo-sso"

    @Option(help: "The port of the server; another one is taken if it is in use.")
    var port = 8_443

    @Option(help: "The port of Burgers and Tacos; another one is taken if it is in use.")
    var sitePort = 8_082

    @Flag(help: "Open no browser, even if there is a display.")
    var noBrowser = false

    @Option(help: "A program that shows the device's pages in place of the demo's browser; it gets their address.")
    var pageProgram: String?

    func run() async throws {
        let client = try InstalledProgram.path(of: "burgers-and-tacos")
        let lock = try DemoLock(folder: folder)
        defer { lock.release() }
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        let (port, sitePort) = (LoopbackPort.free(preferring: port), LoopbackPort.free(preferring: sitePort))
        let siteURL = "http://127.0.0.1:\(sitePort)"
        let authority = try DemoAuthority.find(in: "\(folder)/tls")
        var configuration = try ServerConfiguration(baseURL: "https://\(DemoAuthority.host):\(port)")
        configuration.port = LoopbackPort.free(preferring: 0)
        configuration.isDevelopment = true
        let whyNoDomain = DemoDomain.whyNot()
        if whyNoDomain == nil {
            configuration.kerberos = KerberosConfiguration(keytab: DemoDomain.serverKeytab(in: "\(folder)/domain"))
        }

        let deployment = try await Deployment.open(
            databaseLocation: "\(folder)/server/lanyard.sqlite", masterKeyPath: "\(folder)/server/master.key")
        let stage: SingleSignOnDemoStage
        do {
            stage = try await SingleSignOnDemoStage.set(
                in: deployment, configuration: configuration, authority: authority, folder: folder, siteURL: siteURL,
                client: client, hasDomain: whyNoDomain == nil)
        } catch {
            await deployment.database.close()
            throw error
        }
        let site = try stage.site(port: sitePort, issuer: configuration.standardIssuer, authority: authority)
        let broker = try stage.device.broker(
            port: port, authority: authority, domain: stage.domain, client: client,
            showingPagesWith: pageProgram ?? (hasDisplay ? stage.browser : nil))
        // Opens another page first, because the browser's extension learns which URLs are covered only after the start.
        let browser = hasDisplay && !noBrowser ? stage.browser(opening: "\(siteURL)/welcome") : nil
        let door = TLSDoor(port: port, target: configuration.port, authority: authority)
        var logger = Logger(label: "lanyard") { label in
            PrintableLogHandler(StreamLogHandler.standardError(label: label))
        }
        logger.logLevel = .warning
        let (serverURL, issuer) = (configuration.baseURL, configuration.standardIssuer)
        let file = try stage.file(siteURL: siteURL, serverURL: serverURL, authority: authority)
        let domain = stage.domain?.processes() ?? []
        let opening = DemoOpening {
            for (process, port) in domain {
                process.begin()
                try await process.waitUntilReady { await DemoDomain.listens(port) }
            }
            site.begin()
            broker.begin()
            try await site.waitUntilReady { await DemoProcess.answers("\(siteURL)/healthz") }
            try await broker.waitUntilReady { stage.device.isCovered }
            print(
                SingleSignOnDemoText(
                    stage: stage, siteURL: siteURL, serverURL: serverURL, opensBrowser: browser != nil,
                    isSignedIn: stage.isSignedIn(at: issuer), whyNoDomain: whyNoDomain
                ).text)
            fflush(nil)  // otherwise a pipe would buffer the lines
            // Written last, so that a script that waits for the file can start at once.
            try file.write(to: "\(folder)/demo.json")
            browser?.begin()
        }
        let others: [any Service] = domain.map(\.0) + [door, site, broker] + [browser].compactMap { $0 } + [opening]
        try await ServerProcess(configuration: configuration, deployment: deployment, logger: logger)
            .run(beside: others) { _ in opening.begin() }
    }

    private var hasDisplay: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }
}

/// Work that starts when the server is ready. It is a service of its own, because the server accepts connections only
/// after its ready callback has returned.
private struct DemoOpening: Service {
    private let start = AsyncStream.makeStream(of: Void.self)
    private let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func begin() { start.continuation.yield() }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await _ in start.stream {
                try await body()
                break
            }
        }
        try? await gracefulShutdown()
    }
}
