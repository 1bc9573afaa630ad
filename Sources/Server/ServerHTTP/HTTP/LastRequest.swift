import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Gives a client time for one more request when the server ends. Its answer says that the connection ends with it, which the client could
/// not know before: one whose connection ends under a request takes it for lost, and a proxy asks only once more if nothing can have changed.
final class LastRequest: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Progress {
        /// The next request has not begun.
        case nothing
        case asked
        /// The head of the answer has been written, so it says what it says about the connection.
        case answering
    }

    private let patience: TimeAmount
    private var progress = Progress.nothing
    /// Whether the server ends and the current answer does not say it.
    private var wasLate = false
    /// Ends the time; nil while it does not run.
    private var end: Scheduled<Void>?

    init(patience: Duration = .seconds(1)) { self.patience = TimeAmount(patience) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        progress = .asked
        // ``ConnectionPersistence`` ends the connection after the answer to this request, and gives the client time to read it.
        end?.cancel()
        end = nil
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): if head.status.kind != .informational { progress = .answering }
        case .body: break
        case .end:
            progress = .nothing
            if wasLate {
                wasLate = false
                wait(context)
            }
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, end == nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch progress {
        case .nothing: wait(context)
        // ``ConnectionPersistence`` has seen the event already, and puts it into the answer. Hummingbird's handler would close the
        // connection as soon as the answer is written, before the client has it.
        case .asked: break
        case .answering: wasLate = true
        }
    }

    private func wait(_ context: ChannelHandlerContext) {
        end = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
            self.end = nil
            context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }
}
