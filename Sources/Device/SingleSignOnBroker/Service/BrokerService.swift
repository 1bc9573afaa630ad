import CLinux
import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// The broker as a service of one user.
public struct BrokerService: Sendable {
    public struct Settings: Sendable {
        /// The Unix socket; its folder is made, for this user alone.
        public var socket: String
        public var profiles: ProfileStore.Locations
        /// Whether profiles of the user count even if the system's policy does not say so.
        public var allowsUserProfiles = false
        public var extensions = ExtensionStore()
        /// Whether extensions may be stopped for a debugger.
        public var isForAuthors = false
        /// What is to be kept: what domains have said, and a folder for each extension.
        public var stateFolder: String
        /// Stops extensions after every request, so that their authors see what they forgot to write.
        public var unloadsAfterEveryRequest = false
        public var idleSeconds = 10
        /// For an answer, while nothing is shown and while a person is asked.
        public var silentSeconds = 60
        public var presentingSeconds = 600
        /// Programs that may draw forms themselves and speak for a browser's page.
        public var bridges: Set<String> = []
        /// Further programs that may draw forms in their own terminal.
        public var terminalPrograms: Set<String> = []
        /// Opens a page; `xdg-open` on the desktop if it is nil.
        public var browserCommand: [String]?
        /// Departures from the rules by which domains prove themselves.
        public var exceptions = AssociationFileFetcher.Exceptions()
        /// What runs ``FetchingProcess/run(_:for:)`` with these exceptions: a program and its first arguments, to which the
        /// domain's entry is added.
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

    /// Serves until the process is told to stop, by SIGTERM or SIGINT. To be called by a program's first thread, before
    /// there are others, and once.
    /// - Throws: ``CannotStart``
    public func run() throws {
        // All threads inherit it: none is interrupted, and this one waits.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        EventLoopTasks.install()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let end = group.next().makePromise(of: Void.self)
        let service = Task {
            do {
                end.succeed(try await serve(on: group.next()))
            } catch {
                end.fail(error)
            }
            kill(getpid(), SIGTERM)
        }
        var signal: Int32 = 0
        sigwait(&signals, &signal)
        service.cancel()
        try end.futureResult.wait()
    }

    private func serve(on loop: any EventLoop) async throws {
        let domains = try makeDomains(on: loop)
        let browser = DesktopBrowser(command: settings.browserCommand, loop: loop)
        let desktop = DesktopPresenter(
            on: loop, surroundings: surroundings, open: { await browser.open($0) }, logger: logger)
        var brokerSettings = Broker.Settings(
            surroundings: surroundings, stateFolder: settings.stateFolder,
            profilePlaces: .init(
                device: settings.profiles.device, user: settings.profiles.user, policy: settings.profiles.policy,
                allowsUserProfiles: settings.allowsUserProfiles))
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
        // Watched before it is read first, and read by one task: what was read earlier must not come later.
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let folders = try await FolderWatcher.start(watchedFolders, on: loop) { change.yield() }
        let network = await watchNetwork(for: domains, on: loop)
        await broker.install(installation())
        let memory = try await loop.submit { IdleMemory(on: loop) }.get()
        let channel = try await BrokerSocket(path: settings.socket).listen(for: broker, on: loop) { memory.use() }
        loop.execute { memory.use() }
        logger.notice("ready", metadata: ["socket": "\(settings.socket)"])
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { await domains.run() }
                tasks.addTask { for await _ in changes { await broker.install(installation()) } }
                tasks.addTask { try? await channel.closeFuture.get() }
                await tasks.next()
                tasks.cancelAll()
            }
        } onCancel: {
            channel.close(promise: nil)
        }
        await broker.shutDown()
        withExtendedLifetime((folders, network)) {}
    }

    // MARK: What may change

    private var watchedFolders: [FolderWatcher.Folder] {
        let (profiles, extensions) = (settings.profiles, settings.extensions.folders)
        let policy = profiles.policy as NSString
        let policyName = policy.lastPathComponent
        return [profiles.device, profiles.user].compactMap(\.self).map {
            .init(path: $0) { $0.hasSuffix(ProfileStore.fileExtension) }
        }
            + [.init(path: policy.deletingLastPathComponent) { $0 == policyName }]
            + extensions.map { .init(path: $0) { $0.hasSuffix(ExtensionStore.fileExtension) } }
    }

    /// Without it domains that could not be asked are asked again some minutes later.
    private func watchNetwork(for domains: DomainRegistry, on loop: any EventLoop) async -> NetworkWatcher? {
        do {
            return try await NetworkWatcher.start(on: loop) { domains.networkMayBeUp() }
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

    /// What this process was started with, but for what concerns itself alone, and for what would stop an extension for a
    /// debugger: any program of the user can have the session's manager start this one with that.
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
        do {
            try FileManager.default.createDirectory(
                atPath: settings.stateFolder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CannotStart(description: "\(settings.stateFolder) cannot be made: \(error.localizedDescription)")
        }
        let fetcher: AssociationFileFetcher
        do {
            fetcher = try AssociationFileFetcher(exceptions: settings.exceptions, logger: logger)
        } catch {
            throw CannotStart(description: "the file with roots holds no certificates in PEM")
        }
        fetcher.logExceptions()
        let process = FetchingProcess(settings.fetchCommand, on: loop)
        return DomainRegistry(
            file: DomainRecordFile(path: "\(settings.stateFolder)/domains.json", rules: fetcher.rules),
            port: settings.exceptions.port,
            fetch: { await process.fetch($0) }, now: surroundings.now,
            // A task that sleeps for a day wakes this process up every second; the event loop does not.
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
}
