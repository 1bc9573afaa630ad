import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request takes too long to arrive, from its first byte to its last, so that no client
/// occupies a place by sending a byte now and then. A new connection has the same time for its first request. A long body,
/// such as an upload, gets more: a second for each 32 KiB that have come.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler, StandingAnswerObserver {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var deadline: Deadline?
    private var start = NIODeadline.now()
    /// Bytes of the body that have come since then.
    private var bodyBytes = 0
    private static let bytesPerSecond = 32 << 10
    /// Whether the request to which the last bytes belong is complete.
    private var hasArrived = false

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = Deadline { [weak self] in self?.reached(channel) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            hasArrived = false
            start(context)
        case .body(let bytes): bodyBytes += bytes.readableBytes
        case .end:
            hasArrived = true
            deadline?.stop()
        }
        context.fireChannelRead(data)
    }

    /// Also called for bytes that do not complete a head yet.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasArrived { start(context) }
        hasArrived = false
        context.fireChannelReadComplete()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.end()
        deadline = nil
    }

    /// The request has arrived, and this handler has at most seen bytes of it.
    func standingAnswerWasGiven(on channel: any Channel) { deadline?.stop() }

    private func start(_ context: ChannelHandlerContext) {
        guard let deadline, !deadline.isSet else { return }
        start = context.eventLoop.now
        bodyBytes = 0
        deadline.move(to: start + limit, on: context.eventLoop)
    }

    /// Goes on if the bytes that have come meanwhile have won time.
    private func reached(_ channel: any Channel) {
        let earned = start + limit + .seconds(Int64(bodyBytes / Self.bytesPerSecond))
        guard earned > channel.eventLoop.now else { return channel.close(promise: nil) }
        deadline?.move(to: earned, on: channel.eventLoop)
    }
}
