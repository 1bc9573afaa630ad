import CLinux
import CSystemd
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The Unix socket at which callers ask. systemd has made it, or it is made here in a folder of this user alone.
struct BrokerSocket {
    let path: String

    /// Listens for callers.
    /// - Parameter asked: called on the event loop for every request, before it is served.
    /// - Throws: ``BrokerService/CannotStart``
    func listen(
        for broker: Broker, on loop: any EventLoop, asked: @escaping @Sendable () -> Void = {}
    ) async throws -> any Channel {
        let connections = ConnectionCount(max: Self.connectionsMax())
        let turn = try await NextTurn.start(on: loop)
        let bootstrap = ServerBootstrap(group: loop)
            // Each connection keeps in memory what was read and not served yet, so little is read at once.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: 8_192)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.open() else { throw ConnectionCount.Full() }
                    channel.closeFuture.whenComplete { _ in connections.close() }
                    // Each process has a limit of its own, so that one cannot take all connections.
                    let peer = Peer(of: channel)
                    guard connections.open(by: peer) else { throw ConnectionCount.Full() }
                    channel.closeFuture.whenComplete { _ in connections.close(by: peer) }
                    try HTTPConnectionHandler.add(
                        to: channel, bodyMax: 1 << 20, peer: peer, nextTurn: { turn.run($0) }
                    ) { exchange in
                        asked()
                        broker.assumeIsolated { $0.serve(exchange) }
                    }
                }
            }
        let inherited = Self.inheritedSocket()
        if inherited == nil { try prepareFolder() }
        let descriptor = try inherited ?? makeSocket()
        let channel = try await bootstrap.withBoundSocket(descriptor).get()
        // NIO always uses a backlog of 128 for a socket that it did not make, so it is raised here.
        Glibc.listen(descriptor, Self.backlog)
        if inherited == nil { channel.closeFuture.whenComplete { [path] _ in unlink(path) } }
        return channel
    }

    /// Half of the descriptors that this process may open: extensions need the others. The limit is raised before, as
    /// far as possible.
    private static func connectionsMax() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(2_048, Int(limit.rlim_cur) / 2)
    }

    /// The socket that systemd has passed, see sd_listen_fds(3); nil if it has passed none. Extensions that are started later find
    /// neither it nor the variables that name it.
    private static func inheritedSocket() -> Int32? { sd_listen_fds(1) == 1 ? SD_LISTEN_FDS_START : nil }

    private func prepareFolder() throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try BrokerService.makeFolder(folder)
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw BrokerService.CannotStart(
                description: "\(folder) belongs to another user, or others can write there: name another with --socket")
        }
        guard try !isAnswering() else {
            throw BrokerService.CannotStart(description: "another broker already answers at \(path)")
        }
    }

    private func isAnswering() throws -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return try withAddress { connect(descriptor, $0, $1) == 0 }
    }

    /// Makes a socket whose file has the mode 0600 from the first moment, because bind(2) takes the mode from the
    /// socket. umask(2) would do as well, but also for every file that another thread makes at the same time.
    private func makeSocket() throws -> Int32 {
        func failure() -> BrokerService.CannotStart {
            .init(description: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        // No broker answers here, so a socket is left from one that was killed. Any other file is not ours to delete.
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, unlink(path) != 0 { throw failure() }
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(kind), 0)
        guard descriptor >= 0 else { throw failure() }
        guard fchmod(descriptor, 0o600) == 0, try withAddress({ bind(descriptor, $0, $1) == 0 }) else {
            let failure = failure()
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// The most connections that wait to be accepted.
    private static let backlog: Int32 = 1_024

    private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) throws -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytesMax = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard path.utf8.count <= bytesMax else {
            throw BrokerService.CannotStart(
                description: "\(path) is too long for a socket: its path has at most \(bytesMax) bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Counts open connections, altogether and of each process. Connections above the limits are closed at once, and their
/// callers go on without single sign-on.
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
