import NIOCore
import NIOHTTP1

/// One connection. Its requests are answered one after the other. Used on its event loop alone.
final class HTTPConnection: @unchecked Sendable {
    let channel: any Channel
    /// The process at the other end; nil if the connection is not a Unix socket.
    let peer: Peer?
    /// Whether the answer to the present request has begun.
    fileprivate(set) var hasBegun = false
    /// Called if the connection ends before the answer to the present request is complete.
    fileprivate(set) var whenGone: (() -> Void)?

    fileprivate init(_ channel: any Channel, _ peer: Peer?) {
        self.channel = channel
        self.peer = peer
    }

    /// Calls `body` when the connection ends, at once if it has ended already. It is not called if the answer to the
    /// present request is complete by then. A second call replaces the first.
    func whenGone(_ body: @escaping () -> Void) {
        channel.eventLoop.preconditionInEventLoop()
        guard channel.isActive else { return body() }
        whenGone = body
    }
}

/// Gathers the parts of requests on one connection, and closes it if a request does not arrive completely in time.
///
/// A client may send many requests without waiting for answers. Only one of them is served in a turn of the event loop,
/// so that other connections are served too. While the client does not read its answers nothing is read or served,
/// because the answers would pile up in memory.
final class HTTPConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Time limit for a request to arrive completely. It does not run while an answer is pending.
    static let patience = TimeAmount.seconds(30)

    private let bodyMax: Int
    private let serve: (HTTPExchange) -> Void
    private let connection: HTTPConnection
    private let nextTurn: (@escaping () -> Void) -> Void
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLarge = false
    /// When waiting for the next request began; nil while one is answered.
    private var waitingSince: NIODeadline?
    private var timer: Scheduled<Void>?
    /// A complete request that waits for its turn.
    private var postponed: HTTPExchange?
    private var isTurnAwaited = false
    /// Whether a request was served since the last read from the connection.
    private var hasServed = false
    /// Whether the end of an answer is being written. The pipeline may deliver the next request before that returns.
    private var isEnding = false

    /// Adds the handlers for HTTP to a channel. To be called on its event loop.
    /// - Parameters:
    ///   - bodyMax: in bytes. A larger request is answered with 413.
    ///   - nextTurn: calls a closure in a later turn of the event loop.
    ///   - serve: called with each complete request.
    static func add(
        to channel: any Channel, bodyMax: Int, peer: Peer?,
        nextTurn: @escaping (@escaping () -> Void) -> Void, serve: @escaping (HTTPExchange) -> Void
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        // The headers of a request to an extension are in the body and do not count here.
        limits.maxHeaderListSize = 1 << 16
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withErrorHandling: true, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(
            HTTPConnectionHandler(
                bodyMax: bodyMax, HTTPConnection(channel, peer), nextTurn: nextTurn, serve: serve))
    }

    private init(
        bodyMax: Int, _ connection: HTTPConnection, nextTurn: @escaping (@escaping () -> Void) -> Void,
        serve: @escaping (HTTPExchange) -> Void
    ) {
        self.bodyMax = bodyMax
        self.connection = connection
        self.nextTurn = nextTurn
        self.serve = serve
    }

    func handlerAdded(context: ChannelHandlerContext) { wait(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            isTooLarge = false
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= bodyMax else {
                isTooLarge = true
                return
            }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            waitingSince = nil
            let exchange = HTTPExchange(head: head, body: body, connection: connection)
            guard !hasServed, !isEnding, context.channel.isWritable else {
                // No other request arrives before this one is answered: the pipeline holds it back.
                postponed = exchange
                return awaitTurn(context)
            }
            hasServed = true
            serveNow(exchange)
        }
    }

    private func serveNow(_ exchange: HTTPExchange) {
        guard isTooLarge else { return serve(exchange) }
        exchange.fail(.payloadTooLarge, "At most \(bodyMax) bytes are taken.")
    }

    /// Asks for a turn. A connection that cannot be written to asks when it becomes writable.
    private func awaitTurn(_ context: ChannelHandlerContext) {
        guard postponed != nil, !isTurnAwaited, context.channel.isWritable else { return }
        isTurnAwaited = true
        nextTurn {
            self.isTurnAwaited = false
            guard let exchange = self.postponed, context.channel.isWritable else { return }
            self.postponed = nil
            self.serveNow(exchange)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        hasServed = false
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        awaitTurn(context)
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: connection.hasBegun = true
        case .body: break
        case .end:
            connection.hasBegun = false
            connection.whenGone = nil
            // Gives back the memory of a large body.
            body = ByteBuffer()
            wait(context)
            isEnding = true
        }
        context.write(data, promise: promise)
        isEnding = false
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        waitingSince = nil
        postponed = nil
        let whenGone = connection.whenGone
        connection.whenGone = nil
        whenGone?()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func wait(_ context: ChannelHandlerContext) {
        waitingSince = context.eventLoop.now
        // A timer that runs already is kept: when it fires it looks at the present deadline.
        if timer == nil { schedule(context, in: Self.patience) }
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        let loop = context.eventLoop
        timer = loop.assumeIsolated().scheduleTask(in: time) {
            self.timer = nil
            guard let waitingSince = self.waitingSince else { return }
            let left = waitingSince + Self.patience - loop.now
            if left > .zero { self.schedule(context, in: left) } else { context.close(promise: nil) }
        }
    }
}
