import CLinux
import Ground
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The broker as a service of one user.
public struct BrokerService: Sendable {
    public struct Settings: Sendable {
        /// The path of the Unix socket. Its folder is made with mode 0700 if it is missing.
        public var socket: String
        public var profiles: ProfileStore.Locations
        /// Whether profiles of the user count even if the system's policy does not allow them.
        public var allowsUserProfiles = false
        public var extensions = ExtensionStore()
        /// Whether extensions may be stopped for a debugger.
        public var isForAuthors = false
        /// The path of the folder for the answers of domains, and for a folder of each extension.
        public var stateFolder: String
        /// Whether extensions are stopped after every request, so that their authors notice what they forgot to store.
        public var unloadsAfterEveryRequest = false
        /// How long an extension without open requests is kept running.
        public var idleSeconds = 10
        /// The time limit for an answer while nothing is shown.
        public var silentSeconds = 60
        /// The time limit for an answer while a person is asked.
        public var presentingSeconds = 600
        /// Paths of programs that may draw forms themselves and speak for the page in a browser.
        public var bridges: Set<String> = []
        /// Paths of further programs that may draw forms in their own terminal.
        public var terminalPrograms: Set<String> = []
        /// A command that opens a page, to which the URL is added; nil means `xdg-open`, if there is a desktop.
        public var browserCommand: [String]?
        /// The rules by which domains are asked whether they agree to extensions.
        public var rules = AssociationRules()
        /// A program and its first arguments, to which the associated domain is added: `lanyard-sso fetch-association-file` with
        /// the same rules.
        public var fetchCommand: [String]

        public init(
            socket: String, profiles: ProfileStore.Locations, stateFolder: String, fetchCommand: [String]
        ) {
            self.socket = socket
            self.profiles = profiles
            self.stateFolder = stateFolder
            self.fetchCommand = fetchCommand
        }
    }

    public struct CannotStart: Error, CustomStringConvertible {
        public let description: String
    }

    private let settings: Settings
    private let surroundings = Surroundings.system
    private let logger: Logger

    public init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    /// Serves until the process gets SIGTERM or SIGINT; or SIGHUP, after which it serves on until nobody waits for an answer,
    /// so that a new program can take its place between two requests. To be called once, on the main thread, before there are
    /// others.
    /// - Returns: whether it has ended for another one to take its place.
    /// - Throws: ``CannotStart``
    public func run() throws -> Bool {
        // All threads inherit the mask. So the signals interrupt none of them, and are taken by sigwait below.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        EventLoopTasks.install()
        // The one on which tasks run, too: between two, each request would have to wake up the other one several times.
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let end = loop.makePromise(of: Bool.self)
        let (leaving, leave) = AsyncStream.makeStream(of: Void.self)
        let service = Task {
            do {
                end.succeed(try await serve(on: loop, until: leaving))
            } catch {
                end.fail(error)
            }
            kill(getpid(), SIGTERM)
        }
        var signal: Int32 = 0
        while sigwait(&signals, &signal) == 0, signal == SIGHUP { leave.finish() }
        service.cancel()
        return try end.futureResult.wait()
    }

    /// - Parameter leaving: ends when the service is to end as soon as nobody waits for an answer.
    /// - Returns: whether it has ended for that, and not because it was told to stop.
    private func serve(on loop: any EventLoop, until leaving: AsyncStream<Void>) async throws -> Bool {
        let domains = try makeDomains(on: loop)
        let browser = DesktopBrowser(command: settings.browserCommand, loop: loop)
        let desktop = DesktopPresenter(
            on: loop, surroundings: surroundings, open: { await browser.open($0) }, logger: logger)
        var brokerSettings = Broker.Settings(
            surroundings: surroundings, stateFolder: settings.stateFolder,
            profilePlaces: .init(
                device: settings.profiles.device, dropIns: settings.profiles.dropIns, user: settings.profiles.user,
                policy: settings.profiles.policy, allowsUserProfiles: settings.allowsUserProfiles))
        brokerSettings.timing.idle = settings.unloadsAfterEveryRequest ? .zero : .seconds(Int64(settings.idleSeconds))
        brokerSettings.timing.silent = .seconds(Int64(settings.silentSeconds))
        brokerSettings.timing.presenting = .seconds(Int64(settings.presentingSeconds))
        brokerSettings.environment = Self.environmentOfExtensions()
        brokerSettings.isForAuthors = settings.isForAuthors
        let screen = ScreenLock(on: loop)
        brokerSettings.isScreenLocked = { await screen.isLocked() }
        var callers = CallerIdentifier()
        callers.bridges = settings.bridges
        callers.terminalPrograms = settings.terminalPrograms
        let broker = Broker(
            on: loop, settings: brokerSettings, callers: callers, domains: domains, desktop: desktop, logger: logger)
        // Watching begins before the first reading, so that no change is missed. One task reads, so that an older
        // reading cannot replace a newer one.
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let folders = try await FolderWatcher.start(watchedFolders, on: loop) { change.yield() }
        let network = await watchNetwork(on: loop) {
            domains.networkMayBeUp()
            broker.assumeIsolated { $0.networkMayBeUp() }
        }
        await broker.install(installation())
        // The watcher tells of changes alone, and extensions may have waited for the network in which this device is already.
        if !Networks.current().isEmpty { await broker.networkMayBeUp() }
        let memory = try await loop.submit { IdleMemory(on: loop) }.get()
        let channel = try await BrokerSocket(path: settings.socket).listen(for: broker, on: loop) { memory.use() }
        loop.execute { memory.use() }
        logger.notice("ready", metadata: ["socket": "\(settings.socket)"])
        let isLeft = NIOLockedValueBox(false)
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await domains.run() }
                tasks.addTask { for await _ in changes { await broker.install(installation()) } }
                tasks.addTask { try? await channel.closeFuture.get() }
                tasks.addTask {
                    for await _ in leaving {}
                    guard !Task.isCancelled else { return }
                    // The socket is closed in the same moment: whoever connects from then on waits for the next broker.
                    await broker.whenIdle {
                        isLeft.withLockedValue { $0 = true }
                        channel.close(promise: nil)
                    }
                    try? await channel.closeFuture.get()
                }
                await tasks.next()
                tasks.cancelAll()
            }
        } onCancel: {
            channel.close(promise: nil)
        }
        await broker.shutDown()
        withExtendedLifetime((folders, network)) {}
        return isLeft.withLockedValue(\.self)
    }

    // MARK: What may change

    private var watchedFolders: [FolderWatcher.Folder] {
        let (profiles, extensions) = (settings.profiles, settings.extensions.folders)
        let policy = URL(fileURLWithPath: profiles.policy)
        let policyName = policy.lastPathComponent
        return [profiles.device, profiles.dropIns, profiles.user].compactMap(\.self).map {
            .init(path: $0) { $0.hasSuffix(ProfileStore.fileExtension) }
        }
            + [.init(path: policy.deletingLastPathComponent().path) { $0 == policyName }]
            + extensions.map { .init(path: $0) { $0.hasSuffix(ExtensionStore.fileExtension) } }
    }

    /// Has domains asked again, and extensions woken, as soon as there is a network. Without a watcher domains are asked some
    /// minutes later.
    private func watchNetwork(
        on loop: any EventLoop, changed: @escaping @Sendable () -> Void
    ) async -> NetworkWatcher? {
        do {
            return try await NetworkWatcher.start(on: loop, changed: changed)
        } catch {
            logger.notice("\(error)")
            return nil
        }
    }

    private func installation() -> Installation {
        Installation(
            ProfileStore(settings.profiles, allowsUserProfiles: settings.allowsUserProfiles).load(),
            settings.extensions.load(), extensionFolders: settings.extensions.folders)
    }

    // MARK: What extensions get

    /// The environment of this process without the variables that systemd sets for this process alone.
    ///
    /// The variable that has an extension wait for a debugger is left out too: any program of the user can have systemd
    /// start the broker with it.
    static func environmentOfExtensions(
        _ own: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String: String] {
        own.filter { name, _ in
            ![
                ExtensionProtocol.debugVariable, "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET",
                "WATCHDOG_USEC", "WATCHDOG_PID", "INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID", "SYSTEMD_EXEC_PID",
            ].contains(name)
        }
    }

    private func makeDomains(on loop: any EventLoop) throws -> DomainRegistry {
        try Self.makeFolder(settings.stateFolder)
        let rules = settings.rules
        if let roots = rules.extraRoots, Certificate.all(inPEM: roots).isEmpty {
            throw CannotStart(description: "the file with roots holds no certificates in PEM")
        }
        for warning in rules.warnings { logger.warning("\(warning)") }
        Self.logUnreadBlocklists(at: PublicRoots.places, logger)
        let process = FetchingProcess(settings.fetchCommand, rules: rules, on: loop, logger: logger)
        return DomainRegistry(
            file: DomainRecordFile(path: "\(settings.stateFolder)/domains.json", rules: rules.name),
            port: rules.port,
            fetch: { await process.fetch($0) }, now: surroundings.now,
            // `Task.sleep` would wake this process up every second, even if it sleeps for a day. A timer of the event
            // loop does not.
            sleep: { time in
                let alarm = loop.scheduleTask(in: TimeAmount(time)) {}
                try await withTaskCancellationHandler {
                    try await alarm.futureResult.get()
                } onCancel: {
                    alarm.cancel()
                }
            },
            logger: logger)
    }

    /// Makes a folder that only the user can open, with those above it.
    static func makeFolder(_ path: String) throws(CannotStart) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let number = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            let reason = number.map { String(cString: strerror($0)) } ?? "\(error)"
            throw CannotStart(description: "\(path) cannot be made: \(reason)")
        }
    }

    /// Names each file that should take away an authority and does not.
    static func logUnreadBlocklists(at places: [PublicRoots.Place], _ logger: Logger) {
        for file in (try? PublicRoots(from: places))?.unreadBlocklists ?? [] {
            logger.warning(
                "No certificate was found in a file that names authorities that are not trusted, so it takes none away.",
                metadata: ["file": "\(file)"])
        }
    }
}
