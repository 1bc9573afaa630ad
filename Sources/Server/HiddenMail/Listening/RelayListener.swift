import Foundation
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Listens for the mail server in one protocol, until the server stops.
struct RelayListener<Decoder: NIOSingleStepByteToMessageDecoder & Sendable>: Service
where Decoder.InboundOut: Sendable {
    typealias Frame = Decoder.InboundOut
    typealias Answers = NIOAsyncChannelOutboundWriter<ByteBuffer>

    let name: String
    let address: ListenAddress
    let limits: FrameHandler<Decoder>.Limits
    let makeDecoder: @Sendable () -> Decoder
    let logger: Logger
    /// Answers the frames of one connection in order, until it ends.
    let serve: @Sendable (NIOAsyncChannelInboundStream<Frame>, Answers) async throws -> Void
    /// Called with the port, for tests that let the system choose one.
    var onListening: @Sendable (Int) -> Void = { _ in }

    /// Maximum number of open connections. A mail server opens one for each of its processes.
    private static var connectionsMax: Int { 512 }

    private typealias Connection = NIOAsyncChannel<Frame, ByteBuffer>

    func run() async throws {
        let listener: NIOAsyncChannel<Connection, Never>
        do {
            listener = try await bind()
        } catch {
            logger.error("\(name): cannot listen", metadata: ["address": "\(address)", "error": "\(error)"])
            throw error
        }
        onListening(listener.channel.localAddress?.port ?? 0)
        await cancelWhenGracefulShutdown {
            do {
                try await accept(from: listener)
            } catch is CancellationError {
                return
            } catch {
                logger.error("\(name): stopped listening", metadata: ["error": "\(error)"])
            }
        }
    }

    private func accept(from listener: NIOAsyncChannel<Connection, Never>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            let open = Gauge()
            try await listener.executeThenClose { connections in
                for try await connection in connections {
                    guard open.increment() <= Self.connectionsMax else {
                        open.decrement()
                        group.addTask { try? await connection.executeThenClose { _, _ in } }
                        continue
                    }
                    group.addTask {
                        defer { open.decrement() }
                        await answer(connection)
                    }
                }
            }
        }
    }

    private func answer(_ connection: Connection) async {
        do {
            try await connection.executeThenClose { frames, answers in try await serve(frames, answers) }
        } catch is CancellationError {
            return
        } catch is ChannelError {
            return  // the other side has gone
        } catch {
            logger.warning("\(name): connection ended", metadata: ["error": "\(error)"])
        }
    }

    private func bind() async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        @Sendable func configure(_ channel: any Channel) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FrameHandler(makeDecoder(), limits: limits))
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        switch address {
        case .tcp(let host, let port):
            return try await bootstrap.bind(host: host, port: port, childChannelInitializer: configure)
        case .unix(let path):
            let listener = try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: configure)
            // The mail server runs as another user, who gets access through the group of the file.
            try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path)
            return listener
        }
    }
}

/// Counts open connections.
private final class Gauge: Sendable {
    private let count = Mutex(0)

    @discardableResult
    func increment() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }

    func decrement() { count.withLock { $0 -= 1 } }
}
