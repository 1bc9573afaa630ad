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
final class HTTPConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// For a request to arrive whole, while no answer is on its way: an answer may take as long as it does.
    static let patience = TimeAmount.seconds(30)

    private let bodyMax: Int
    private let serve: (HTTPExchange) -> Void
    private let connection: HTTPConnection
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLarge = false
    /// Since when a request is waited for; nil while one is answered.
    private var waitingSince: NIODeadline?
    private var timer: Scheduled<Void>?

    /// Adds what it takes to serve HTTP to a channel, on its event loop.
    static func add(
        to channel: any Channel, bodyMax: Int, peer: Peer?, serve: @escaping (HTTPExchange) -> Void
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        // Those of a request to an extension are in the body.
        limits.maxHeaderListSize = 1 << 16
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withErrorHandling: true, withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(
            HTTPConnectionHandler(bodyMax: bodyMax, HTTPConnection(channel, peer), serve: serve))
    }

    private init(bodyMax: Int, _ connection: HTTPConnection, serve: @escaping (HTTPExchange) -> Void) {
        self.bodyMax = bodyMax
        self.connection = connection
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
            if isTooLarge {
                exchange.fail(.payloadTooLarge, "At most \(bodyMax) bytes are taken.")
            } else {
                serve(exchange)
            }
        }
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
        }
        // With the end of an answer the next request may come, before this returns.
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        waitingSince = nil
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
        // One that runs looks when it rings: most requests are answered long before.
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
