import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import ServiceLifecycle

/// Accepts connections at a socket, and answers what comes on them, until it is told to stop; requests that are open are finished then.
///
/// Hummingbird's own server opens its socket itself, so that nobody could hold it while the server is started anew.
struct HTTPListener: Service {
    let socket: ListeningSocket
    let connections: ConnectionSetup
    let places: ConnectionPlaces
    let logger: Logger
    /// Called with the port when connections are accepted.
    let onRunning: @Sendable (Int) async -> Void

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let listener = try await ServerBootstrap(group: group)
            // One at a time, so that each is counted before another one is let in.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { [places] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: places))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .bind(socket.descriptor) { [connections, logger] in connections.setup(channel: $0, logger: logger) }
        // NIO has set a backlog of 128, as for each socket that it did not make.
        listen(socket.descriptor, ListeningSocket.backlog)
        logger.info("connections are accepted", metadata: ["port": "\(socket.port)"])
        await withGracefulShutdownHandler {
            await onRunning(socket.port)
            await withDiscardingTaskGroup { tasks in
                do {
                    try await listener.executeThenClose { accepted in
                        for try await connection in accepted {
                            tasks.addTask { await connections.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    logger.error("no more connections are accepted", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            // NIO closes a connection that it has accepted and not set up yet when the listener ends. So none is accepted any more
            // first, and each that is being set up on its event loop gets its turn. The others wait at the socket.
            let loop = listener.channel.eventLoop
            listener.channel.setOption(.autoRead, value: false)
                .flatMap { EventLoopFuture.andAllComplete(group.makeIterator().map { $0.submit {} }, on: loop) }
                .whenComplete { _ in quiescing.initiateShutdown(promise: nil) }
        }
    }

    /// Answers a request by the routes.
    static func responder<Routes: HTTPResponder>(
        _ routes: Routes, date: DateField, logger: Logger
    ) -> HTTPChannelHandler.Responder where Routes.Context == AppContext {
        { request, writer, channel in
            var logger = logger
            logger[metadataKey: RequestLog.idKey] = .stringConvertible(RequestID())
            var response: Response
            do {
                let context = AppContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
                response = try await routes.respond(to: request, context: context)
            } catch let error as HTTPParserError {
                // The connection answers by itself what it cannot read.
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = date.text
            do {
                try await writer.write(response: response.head, body: response.body)
            } catch is HTTPParserError {
                throw BrokenBody()
            }
        }
    }

    /// The body of a request could not be read when its answer had begun. The connection ends, and nothing more is answered.
    private struct BrokenBody: Error {}
}
