import CLinux
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// The Unix socket at which callers ask: of systemd, or made here in a folder of this user alone.
struct BrokerSocket {
    let path: String

    /// - Parameter asked: called on the event loop with every request.
    /// - Throws: ``BrokerService/CannotStart``
    func listen(
        for broker: Broker, on loop: any EventLoop, asked: @escaping @Sendable () -> Void = {}
    ) async throws -> any Channel {
        let connections = ConnectionCount(max: Self.connectionsMax())
        let turn = try await NextTurn.start(on: loop)
        let bootstrap = ServerBootstrap(group: loop)
            // What was read and not served yet is kept in memory, for each connection.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: 8_192)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.open() else { throw ConnectionCount.Full() }
                    channel.closeFuture.whenComplete { _ in connections.close() }
                    // Limited for each process, so that one cannot take all places.
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
        // NIO lets no more than 128 wait at a socket that it is given.
        Glibc.listen(descriptor, Self.backlog)
        if inherited == nil { channel.closeFuture.whenComplete { [path] _ in unlink(path) } }
        return channel
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
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BrokerService.CannotStart(description: "\(folder) cannot be made: \(error.localizedDescription)")
        }
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

    /// Its file has the mode of the socket itself, from the first moment on. To take rights away by umask(2) would do that to
    /// every file that any thread of this process makes at the same time.
    private func makeSocket() throws -> Int32 {
        func failure() -> BrokerService.CannotStart {
            .init(description: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        // One that nobody answers at is left from a broker that was killed. Anything else is somebody's file.
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

    /// Connections that wait to be accepted.
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
