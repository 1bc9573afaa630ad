import Hummingbird
import HummingbirdCore
import KerberosTickets
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// The channel handlers between a socket and the routes. Hummingbird's own HTTP/1 channel does not allow handlers
/// before the point where a request loses its version and its `Host` header.
struct ConnectionSetup: HTTPChannelHandler {
    let responder: HTTPChannelHandler.Responder
    /// What is answered on the event loop; nil for nothing.
    var standing: StandingAnswerHandler.Settings?
    /// The only path at which requests may have a ticket of Kerberos in their headers; nil if there is none.
    var ticketPath: String?
    /// Makes the handlers of one connection, which see requests one at a time.
    let makeHandlers: @Sendable () -> [any RemovableChannelHandler]

    /// Maximum size of one read. It limits what waits in ``RequestQueue``, and how long one connection occupies the
    /// event loop.
    private static let bytesPerRead = 2_048
    /// More requests than fit into one read, so that only a client that has closed its side can have more waiting.
    static let waitingRequestsMax = 200
    /// Maximum size of the headers of a request.
    private static let headersMax = 32 * 1_024

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>> {
        channel.eventLoop.makeCompletedFuture {
            let options = channel.syncOptions
            try options?.setOption(.maxMessagesPerRead, value: 1)
            try options?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.bytesPerRead))
            var limits = NIOHTTPDecoderLimitConfiguration()
            let longHead = ticketPath.map { LongHead(path: $0, limit: Self.headersMax) }
            // The decoder does not know paths: see ``LongHead``.
            let room = longHead == nil ? 0 : TicketAcceptor.headerMax
            limits.maxHeaderFieldSize = 16 * 1_024 + room
            limits.maxHeaderListSize = Self.headersMax + room
            let pipeline = channel.pipeline.syncOperations
            let encoder = HTTPResponseEncoder()
            let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
            // It keeps a header that has not come completely, and in vain all that comes behind a request for another protocol.
            try pipeline.addHandlers(
                encoder, ByteToMessageHandler(decoder, maximumBufferSize: limits.maxHeaderListSize))
            let (queue, persistence) = (
                RequestQueue(max: Self.waitingRequestsMax), ConnectionPersistence(longHead: longHead)
            )
            let handlers = makeHandlers()
            if let standing {
                try pipeline.addHandler(
                    StandingAnswerHandler(
                        standing, above: try pipeline.context(handler: encoder),
                        .init(
                            queue: queue, persistence: persistence,
                            observers: handlers.compactMap { $0 as? any StandingAnswerObserver }),
                        logger: logger))
            }
            try pipeline.addHandlers(queue, persistence, HTTPTypesCodec())
            try pipeline.addHandlers(handlers)
            // ``ConnectionPlace`` knows of all requests, and closes connections that are idle.
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Runs connections with a lower priority. With equal priority, the task that accepts connections would wait behind
    /// each step of hundreds of requests, and accept none for seconds.
    func handle(value: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger) async {
        let ended = value.channel.eventLoop.makePromise(of: Void.self)
        let connection = Task(priority: .low) {
            await handleHTTP(asyncChannel: value, logger: logger)
            ended.succeed()
        }
        // Waiting for a task would raise its priority to the caller's; waiting for a future does not.
        await withTaskCancellationHandler {
            try? await ended.futureResult.get()  // never fails
        } onCancel: {
            connection.cancel()
        }
    }
}
