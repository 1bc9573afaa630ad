import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request takes too long to arrive, from its first byte to its last, so that no client
/// occupies a place by sending a byte now and then. A new connection has the same time for its first request. A long body,
/// such as an upload, gets more: a second for each 32 KiB that have come.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler, StandingAnswerObserver {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var end: Scheduled<Void>?
    private var start = NIODeadline.now()
    /// Bytes of the body that have come since then.
    private var bodyBytes = 0
    private static let bytesPerSecond = 32 << 10
    /// Whether the request to which the last bytes belong is complete.
    private var hasArrived = false

    init(limit: Duration) { self.limit = TimeAmount(limit) }

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
            stop()
        }
        context.fireChannelRead(data)
    }

    /// Also called for bytes that do not complete a head yet.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasArrived { start(context) }
        hasArrived = false
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    /// The request has arrived, and this handler has at most seen bytes of it.
    func standingAnswerWasGiven(on channel: any Channel) { stop() }

    private func start(_ context: ChannelHandlerContext) {
        guard end == nil else { return }
        start = context.eventLoop.now
        bodyBytes = 0
        wait(until: start + limit, context.channel)
    }

    private func wait(until deadline: NIODeadline, _ channel: any Channel) {
        // The task runs on the event loop of the channel, like everything here.
        let loopBound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        end = channel.eventLoop.scheduleTask(deadline: deadline) {
            let earned = loopBound.value.earned
            if earned > deadline { loopBound.value.wait(until: earned, channel) } else { channel.close(promise: nil) }
        }
    }

    /// The end with the time that the bytes have won.
    private var earned: NIODeadline {
        start + limit + .seconds(Int64(bodyBytes / Self.bytesPerSecond))
    }

    private func stop() {
        end?.cancel()
        end = nil
    }
}
