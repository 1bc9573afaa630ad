import NIOCore
import NIOHTTPTypes

/// Gives a client that has just connected time for its first request when the server ends. It could not know of the end, and would have
/// to take its request for lost.
final class FirstRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let patience: TimeAmount
    private var hasCome = false
    /// Ends the time; nil while the server does not end.
    private var end: Scheduled<Void>?

    init(patience: Duration = .seconds(1)) { self.patience = TimeAmount(patience) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        hasCome = true
        guard let end else { return }
        // The request has begun: the connection ends after its answer.
        self.end = nil
        end.cancel()
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, !hasCome, end == nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        end = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }
}
