import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client does not read its answers. Otherwise it would occupy a place and the memory of the
/// answers for ever.
///
/// Waiting data gets `limit`, plus a second for each 8 KiB; no useful connection is slower. The same holds for the next
/// part in the queue, so that a client that reads nothing does not gain time by requesting more.
final class AnswerDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let bytesPerSecond = 8_192

    private let limit: TimeAmount
    /// The time limit of each part that was written but not sent yet.
    private var waiting = CircularBuffer<TimeAmount>()
    /// When all of them must be sent.
    private var end = NIODeadline.distantFuture
    /// When the first of them must be sent.
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
            // In the meantime some parts may have been sent, and others written, which extends the time.
            if min(self.next, self.end) <= eventLoop.now { channel.close(promise: nil) } else { self.watch(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }
}
