import CLinux
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
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
        let desktop = DesktopPresenter(on: loop, open: { await browser.open($0) }, logger: logger)
        var brokerSettings = Broker.Settings(
            stateFolder: settings.stateFolder,
            profilePlaces: .init(
                device: settings.profiles.device, user: settings.profiles.user, policy: settings.profiles.policy,
                allowsUserProfiles: settings.allowsUserProfiles))
        brokerSettings.timing.idle = settings.unloadsAfterEveryRequest ? .zero : .seconds(Int64(settings.idleSeconds))
        brokerSettings.timing.silent = .seconds(Int64(settings.silentSeconds))
        brokerSettings.timing.presenting = .seconds(Int64(settings.presentingSeconds))
        brokerSettings.environment = Self.environmentOfExtensions()
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
        let channel = try await listen(for: broker, on: loop, memory)
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

    // MARK: The socket

    private func listen(
        for broker: Broker, on loop: any EventLoop, _ memory: IdleMemory
    ) async throws -> any Channel {
        let connections = ConnectionCount(max: Self.connectionsMax())
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.open() else { throw ConnectionCount.Full() }
                    channel.closeFuture.whenComplete { _ in connections.close() }
                    // Of one process no more than anybody needs: the others keep their places.
                    let peer = Peer(of: channel)
                    guard connections.open(by: peer) else { throw ConnectionCount.Full() }
                    channel.closeFuture.whenComplete { _ in connections.close(by: peer) }
                    try HTTPConnectionHandler.add(to: channel, bodyMax: 1 << 20, peer: peer) { exchange in
                        memory.use()
                        broker.assumeIsolated { $0.serve(exchange) }
                    }
                }
            }
        if let inherited = Self.inheritedSocket() { return try await bootstrap.withBoundSocket(inherited).get() }
        try prepareFolder()
        do {
            let mask = umask(0o177)
            defer { umask(mask) }
            return try await bootstrap.bind(unixDomainSocketPath: settings.socket, cleanupExistingSocketFile: true)
                .get()
        } catch {
            throw CannotStart(description: "\(settings.socket) cannot be made: \(error)")
        }
    }

    /// As many as leave descriptors for extensions and what they need; the limit is raised as far as it may be.
    private static func connectionsMax() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(2_048, Int(limit.rlim_cur) / 2)
    }

    /// Of systemd, by sd_listen_fds(3).
    private static func inheritedSocket() -> Int32? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["LISTEN_PID"] == "\(getpid())", environment["LISTEN_FDS"] == "1" else { return nil }
        unsetenv("LISTEN_PID")
        unsetenv("LISTEN_FDS")
        _ = fcntl(3, F_SETFD, FD_CLOEXEC)
        return 3
    }

    private func prepareFolder() throws {
        let folder = (settings.socket as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CannotStart(description: "\(folder) cannot be made: \(error.localizedDescription)")
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw CannotStart(
                description: "\(folder) belongs to another user, or others can write there: name another with --socket")
        }
        guard isAnswering() == false else {
            throw CannotStart(description: "another broker already answers at \(settings.socket)")
        }
    }

    private func isAnswering() -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard settings.socket.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: settings.socket.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    // MARK: What extensions get

    /// What this process was started with, but for what concerns itself alone.
    private static func environmentOfExtensions() -> [String: String] {
        ProcessInfo.processInfo.environment.filter { name, _ in
            ![
                "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
                "INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID", "SYSTEMD_EXEC_PID",
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
            fetch: { await process.fetch($0) }, now: { Date() },
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

/// Connections of one user; whoever opens more than anybody needs is turned away, and goes on without.
private final class ConnectionCount: Sendable {
    private static let maxOfOne = 256
    private let max: Int
    private let count = NIOLockedValueBox((all: 0, of: [Peer: Int]()))

    struct Full: Error {}

    init(max: Int) {
        self.max = max
    }

    func open() -> Bool {
        count.withLockedValue { count in
            guard count.all < max else { return false }
            count.all += 1
            return true
        }
    }

    func close() { count.withLockedValue { $0.all -= 1 } }

    func open(by peer: Peer?) -> Bool {
        guard let peer else { return true }
        return count.withLockedValue { count in
            guard count.of[peer, default: 0] < Self.maxOfOne else { return false }
            count.of[peer, default: 0] += 1
            return true
        }
    }

    func close(by peer: Peer?) {
        guard let peer else { return }
        count.withLockedValue { count in
            count.of[peer, default: 1] -= 1
            if count.of[peer] == 0 { count.of[peer] = nil }
        }
    }
}
