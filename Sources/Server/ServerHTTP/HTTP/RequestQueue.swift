import NIOCore
import NIOHTTP1

/// Passes on the requests of a connection one at a time: the next one when the previous answer was written, and in a
/// later turn of the event loop. So a client that sends many requests without waiting for answers (RFC 9112 §9.3.2)
/// queues up with all other connections after each of them.
///
/// Nothing is read in the meantime. What was read together with the request waits here: a few kilobytes or, if the
/// client has closed its side, everything that it sent. At most `max` waiting requests are answered, the last one with
/// `Connection: close`.
final class RequestQueue: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Arrival {
        case part(HTTPServerRequestPart)
        case error(any Error)
        case event(ChannelEvent)
    }

    private let max: Int
    private var waiting = CircularBuffer<Arrival>()
    private var waitingRequests = 0
    /// Whether the request that was passed on is still arriving.
    private var isReceiving = false
    /// Whether its answer is not completely written yet.
    private var isAnswering = false
    /// Whether the current answer is the last one.
    private var isLast = false
    /// Whether the queue is full, so that further requests are dropped.
    private var isFull = false
    /// Whether the last answer was written, so that waiting requests are dropped too.
    private var isOver = false
    private var hasHandedOn = false
    /// Whether what was read last contains a request that was answered below.
    private var wasHeld = false
    private var hasSkippedRead = false

    init(max: Int) { self.max = max }

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Requests that are answered below

    /// Whether nothing waits, nothing arrives and nothing is answered.
    var isIdle: Bool { waiting.isEmpty && !isReceiving && !isAnswering && !isOver }

    /// Lets what arrives now wait for an answer that is given below.
    func hold() {
        isAnswering = true
        wasHeld = true
    }

    /// Goes on after such an answer.
    /// - Parameter isLast: whether it was the last one of the connection, so that requests behind it are dropped.
    func release(isLast: Bool) {
        if let context { finish(isLast: isLast, context) }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only errors in the bytes have a position among the requests.
        if error is HTTPParserError { take(.error(error), context) } else { context.fireErrorCaught(error) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case let event as ChannelEvent = event, event == .inputClosed {
            take(.event(event), context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // If everything that was read is waiting, later handlers are told when some of it is passed on. Of what was answered
        // below they do not know.
        if hasHandedOn || waiting.isEmpty && !wasHeld { completeRead(context) }
        wasHeld = false
    }

    func channelInactive(context: ChannelHandlerContext) {
        waiting.removeAll()
        context.fireChannelInactive()
    }

    private func take(_ arrival: Arrival, _ context: ChannelHandlerContext) {
        if waiting.isEmpty, isTurn(of: arrival) { return handOn(arrival, context) }
        if case .part = arrival, isFull || isOver { return }
        if case .part(.head) = arrival {
            guard waitingRequests < max else {
                isFull = true
                return closeAfterLastWaiting()
            }
            waitingRequests += 1
        }
        waiting.append(arrival)
    }

    private func isTurn(of arrival: Arrival) -> Bool {
        switch arrival {
        case .part(.head): !isReceiving && !isAnswering && !isOver
        case .part: isReceiving && !isOver
        case .error: isReceiving || !isAnswering
        case .event: true
        }
    }

    private func handOn(_ arrival: Arrival, _ context: ChannelHandlerContext) {
        switch arrival {
        case .part(let part):
            hasHandedOn = true
            switch part {
            case .head: (isReceiving, isAnswering) = (true, true)
            case .body: break
            case .end: isReceiving = false
            }
            context.fireChannelRead(wrapInboundOut(part))
        case .error(let error): context.fireErrorCaught(error)
        case .event(let event): context.fireUserInboundEventTriggered(event)
        }
    }

    /// Adds `Connection: close` to the last waiting request, because it is the last one that is answered.
    private func closeAfterLastWaiting() {
        let last = waiting.lastIndex { if case .part(.head) = $0 { true } else { false } }
        guard let last, case .part(.head(var head)) = waiting[last] else { return }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        waiting[last] = .part(.head(head))
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headers[canonicalForm: "connection"].contains("close") { isLast = true }
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            finish(isLast: isLast, context)
        }
    }

    private func finish(isLast: Bool, _ context: ChannelHandlerContext) {
        isAnswering = false
        if isLast {
            isOver = true
            waiting.removeAll { if case .part = $0 { true } else { false } }
        }
        goOn(context)
    }

    private func goOn(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return readOn(context) }
        context.eventLoop.assumeIsolated().execute { self.handOnNext(context) }
    }

    /// Passes on the parts of the next request that have arrived.
    private func handOnNext(_ context: ChannelHandlerContext) {
        guard let first = waiting.first, isTurn(of: first) else { return }
        while let next = waiting.first, isTurn(of: next) {
            waiting.removeFirst()
            if case .part(.head) = next { waitingRequests -= 1 }
            handOn(next, context)
        }
        completeRead(context)
        if waiting.isEmpty { readOn(context) }
    }

    /// Later handlers collect parts until they are told that the read is complete.
    private func completeRead(_ context: ChannelHandlerContext) {
        hasHandedOn = false
        context.fireChannelReadComplete()
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        // After the last answer, incoming bytes are read and dropped, so that the client can read that answer.
        if isOver || waiting.isEmpty && (isReceiving || !isAnswering) { context.read() } else { hasSkippedRead = true }
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard hasSkippedRead else { return }
        hasSkippedRead = false
        read(context: context)
    }
}
