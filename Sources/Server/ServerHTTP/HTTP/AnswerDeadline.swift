import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client does not read its answers: it would hold a place, and the answers' memory, for ever.
///
/// What waits has `limit` to leave, and a second more for each 8 KiB: slower is no connection that anybody uses. The same
/// holds for the part that is next to leave, so that a client that reads nothing does not win time by asking for more.
final class AnswerDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let bytesPerSecond = 8_192

    private let limit: TimeAmount
    /// The time that each part has which was written and has not left yet.
    private var waiting = CircularBuffer<TimeAmount>()
    /// When all of them must have left.
    private var end = NIODeadline.distantFuture
    /// When the first of them must have.
    private var next = NIODeadline.distantFuture
    private var check: Scheduled<Void>?

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var time = TimeAmount.zero
        if case .body(let buffer) = unwrapOutboundIn(data) {
            time = .nanoseconds(Int64(buffer.readableBytes) * 1_000_000_000 / Int64(Self.bytesPerSecond))
        }
        if waiting.isEmpty {
            end = context.eventLoop.now + limit
            next = end + time
        }
        end = end + time
        waiting.append(time)
        let promise = promise ?? context.eventLoop.makePromise()
        let eventLoop = context.eventLoop
        promise.futureResult.assumeIsolated().whenComplete { _ in self.left(at: eventLoop.now) }
        watch(context)
        context.write(data, promise: promise)
    }

    private func left(at now: NIODeadline) {
        waiting.removeFirst()
        if let time = waiting.first {
            next = now + limit + time
        } else {
            check?.cancel()
            check = nil
        }
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard check == nil else { return }
        let channel = context.channel
        let eventLoop = context.eventLoop
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: min(next, end)) {
            self.check = nil
            guard !self.waiting.isEmpty else { return }
            // Meanwhile some may have left, and more been written, which has time of its own.
            if min(self.next, self.end) <= eventLoop.now { channel.close(promise: nil) } else { self.watch(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }
}
