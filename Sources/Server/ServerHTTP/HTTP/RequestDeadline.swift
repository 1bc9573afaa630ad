import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request takes too long to arrive, from its first byte to its last, so that no client
/// occupies a place by sending a byte now and then. A new connection has the same time for its first request.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var end: Scheduled<Void>?
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
        case .body: break
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

    private func start(_ context: ChannelHandlerContext) {
        guard end == nil else { return }
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }

    private func stop() {
        end?.cancel()
        end = nil
    }
}
