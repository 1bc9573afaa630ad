import NIOCore
import NIOHTTP1

/// One connection, whose requests come one after the other. Used on its event loop alone.
final class HTTPConnection: @unchecked Sendable {
    let channel: any Channel
    /// Who is at the other end; nil on a connection that is not a Unix socket.
    let peer: Peer?
    /// Whether the answer to the present request has begun.
    fileprivate(set) var hasBegun = false
    /// What is to be done if the connection ends before the answer to the present request does.
    fileprivate(set) var whenGone: (() -> Void)?

    fileprivate init(_ channel: any Channel, _ peer: Peer?) {
        self.channel = channel
        self.peer = peer
    }

    /// - Parameter body: called once, unless the answer has ended before.
    func whenGone(_ body: @escaping () -> Void) {
        channel.eventLoop.preconditionInEventLoop()
        guard channel.isActive else { return body() }
        whenGone = body
    }
}

/// Gathers the parts of requests on one connection, and ends it if nobody says anything on it, or not to the end.
///
/// Of requests that come in a row one is served in a turn of the event loop, so that other connections have theirs; and none
/// is, nor read, while answers to earlier ones are not read: they would pile up here.
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
    /// Since when a request is waited for; nil while one is answered.
    private var waitingSince: NIODeadline?
    private var timer: Scheduled<Void>?
    /// A request that has arrived whole, until it is its turn.
    private var postponed: HTTPExchange?
    private var isTurnAwaited = false
    /// Whether a request was served since the connection was read from last.
    private var hasServed = false
    /// Whether the end of an answer is being written: the next request may come before that returns.
    private var isEnding = false

    /// Adds what it takes to serve HTTP to a channel, on its event loop.
    /// - Parameter nextTurn: puts off what it is given to a later turn of the loop.
    static func add(
        to channel: any Channel, bodyMax: Int, peer: Peer?,
        nextTurn: @escaping (@escaping () -> Void) -> Void, serve: @escaping (HTTPExchange) -> Void
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        // Those of a request to an extension are in the body.
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
                // Until it is answered no other arrives: the pipeline keeps what was read already, and reads no more.
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

    /// A connection that cannot be written to has its turn when it can.
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
            // What it held may be large.
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
        // A timer that runs looks at the present deadline when it fires: most requests are answered long before.
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
