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
    /// The time limit of each part that was written but not sent yet. Small parts count as one with the next one.
    private var waiting = CircularBuffer<TimeAmount>()
    /// The bytes of the small parts that were written last.
    private var smallBytes = 0
    /// When all of them must be sent.
    private var end = NIODeadline.distantFuture
    /// When the first of them must be sent.
    private var next = NIODeadline.distantFuture
    private var deadline: Deadline?

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = Deadline { channel.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isSmall = false
        switch unwrapOutboundIn(data) {
        case .head: isSmall = !waiting.isEmpty
        case .body(let buffer):
            smallBytes += buffer.readableBytes
            isSmall = !waiting.isEmpty && smallBytes < Self.bytesPerSecond
        case .end: break
        }
        guard !isSmall else { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        wait(for: promise, context.eventLoop)
        context.write(data, promise: promise)
    }

    private func wait(for promise: EventLoopPromise<Void>, _ eventLoop: any EventLoop) {
        let time = TimeAmount.nanoseconds(Int64(smallBytes) * 1_000_000_000 / Int64(Self.bytesPerSecond))
        smallBytes = 0
        if waiting.isEmpty {
            end = eventLoop.now + limit
            next = end + time
        }
        end = end + time
        waiting.append(time)
        promise.futureResult.assumeIsolated().whenComplete { _ in self.left(on: eventLoop) }
        deadline?.move(to: min(next, end), on: eventLoop)
    }

    private func left(on eventLoop: any EventLoop) {
        waiting.removeFirst()
        if let time = waiting.first {
            next = eventLoop.now + limit + time
            deadline?.move(to: min(next, end), on: eventLoop)
        } else {
            deadline?.stop()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.end()
        deadline = nil
    }
}
