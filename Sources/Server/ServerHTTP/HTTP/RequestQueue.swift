import NIOCore
import NIOHTTP1

/// Hands the requests of a connection on one at a time: the next one when the answer to the one before has been written,
/// and not in the same turn of the event loop. Whoever sends many requests at once without waiting for answers (RFC 9112
/// §9.3.2) therefore stands in line with all other connections again after each of them.
///
/// Nothing is read meanwhile. What was read with the request waits here: a few kilobytes, or, from a client that has
/// closed its side, all that it sent. Of those at most `max` requests are answered, the last with `Connection: close`.
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
    /// The request that was handed on has not ended yet.
    private var isReceiving = false
    /// Its answer has not been written yet.
    private var isAnswering = false
    /// The answer that is being written is the last one.
    private var isLast = false
    /// More came than may wait: what still comes is thrown away.
    private var isFull = false
    /// The last answer has been written: what waits is thrown away, too.
    private var isOver = false
    private var hasHandedOn = false
    private var hasSkippedRead = false

    init(max: Int) { self.max = max }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Only what is wrong with the bytes has a place among them.
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
        // What was read may all be waiting; those behind us are told when some of it is handed on.
        if hasHandedOn || waiting.isEmpty { completeRead(context) }
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

    /// Makes the last request that waits ask for what will happen.
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
            isAnswering = false
            if isLast {
                isOver = true
                waiting.removeAll { if case .part = $0 { true } else { false } }
            }
            goOn(context)
        }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        guard !waiting.isEmpty else { return readOn(context) }
        context.eventLoop.assumeIsolated().execute { self.handOnNext(context) }
    }

    /// Hands on what belongs to the next request, as far as it is there.
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

    /// Those behind us collect what they get until they are told that this was all for now.
    private func completeRead(_ context: ChannelHandlerContext) {
        hasHandedOn = false
        context.fireChannelReadComplete()
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        // What comes after the last answer is read, and thrown away, so that the client can read that answer in peace.
        if isOver || waiting.isEmpty && (isReceiving || !isAnswering) { context.read() } else { hasSkippedRead = true }
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard hasSkippedRead else { return }
        hasSkippedRead = false
        read(context: context)
    }
}
