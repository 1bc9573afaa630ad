import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client does not read its answer: it would hold a place, and the answer's memory, for ever.
///
/// What waits has `limit` to leave, and a second more for each 8 KiB: slower is no connection that anybody uses.
final class AnswerDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let bytesPerSecond = 8_192

    private let limit: TimeAmount
    /// Parts that were written and have not left yet.
    private var waiting = 0
    /// When they must have left.
    private var end = NIODeadline.distantFuture
    private var check: Scheduled<Void>?

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if waiting == 0 { end = .now() + limit }
        if case .body(let buffer) = unwrapOutboundIn(data) {
            end = end + .nanoseconds(Int64(buffer.readableBytes) * 1_000_000_000 / Int64(Self.bytesPerSecond))
        }
        waiting += 1
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenComplete { _ in self.left() }
        watch(context)
        context.write(data, promise: promise)
    }

    private func left() {
        waiting -= 1
        guard waiting == 0 else { return }
        check?.cancel()
        check = nil
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard check == nil else { return }
        let channel = context.channel
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: end) {
            self.check = nil
            guard self.waiting > 0 else { return }
            // Meanwhile more may have been written, which has time of its own.
            if self.end <= .now() { channel.close(promise: nil) } else { self.watch(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }
}
