import Ground
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Gives ``StandingAnswers`` right above the bytes, in the connection's own turn of its event loop: no task is started, no middleware runs,
/// and nobody waits behind the pages of others to learn that the server is alive. docs/decisions/0073-answers-below-the-router.md.
///
/// Handlers that have to know of such a request are told (``StandingAnswerObserver``). All that is not usual goes on to them: a request
/// behind which others of the same connection wait or whose answer has to wait itself, and every request when the server ends.
final class StandingAnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// What the connections of a server share.
    struct Settings: Sendable {
        let answers: StandingAnswers
        let date: DateField
        let isSecure: Bool
        let proxies: TrustedProxies
    }

    /// The handlers of the same connection above this one, which see no request that is answered here.
    struct Neighbours {
        let queue: RequestQueue
        let persistence: ConnectionPersistence
        let observers: [any StandingAnswerObserver]
    }

    private struct Exchange {
        let head: HTTPRequestHead
        let answer: StandingAnswer
        let isLast: Bool
        var hasArrived = false
        let stopwatch = Stopwatch()
    }

    private let settings: Settings
    /// That of the encoder: what is written there is bytes already.
    private let bytesContext: ChannelHandlerContext
    private let neighbours: Neighbours
    private let logger: Logger
    /// The request that is answered here.
    private var exchange: Exchange?
    /// Whether the connection has had an answer in this turn of the event loop. When a client has closed its side, all that it has sent is read
    /// in one turn, and others would wait for as many answers.
    private var hasAnswered = false

    init(_ settings: Settings, above bytesContext: ChannelHandlerContext, _ neighbours: Neighbours, logger: Logger) {
        self.settings = settings
        self.bytesContext = bytesContext
        self.neighbours = neighbours
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part, exchange == nil, let taken = take(head, context.channel) {
            exchange = taken
            neighbours.queue.hold()
        } else if case .end = part, exchange?.hasArrived == false {
            exchange?.hasArrived = true
        } else {
            context.fireChannelRead(data)
        }
    }

    /// Answers when all that was read together is in the queue.
    func channelReadComplete(context: ChannelHandlerContext) {
        if let exchange, exchange.hasArrived {
            self.exchange = nil
            answer(exchange, context.channel)
        }
        context.fireChannelReadComplete()
    }

    private func take(_ head: HTTPRequestHead, _ channel: any Channel) -> Exchange? {
        // For a client that does not read its answers there is ``AnswerDeadline``.
        guard !hasAnswered, neighbours.queue.isIdle, channel.isWritable, let answer = settings.answers.answer(to: head)
        else { return nil }
        return neighbours.persistence.ends(after: head).map { Exchange(head: head, answer: answer, isLast: $0) }
    }

    private func answer(_ exchange: Exchange, _ channel: any Channel) {
        hasAnswered = true
        channel.eventLoop.assumeIsolated().execute { self.hasAnswered = false }
        let id = RequestID().description
        log(exchange, id, channel)
        write(exchange, id, channel)
        neighbours.observers.forEach { $0.standingAnswerWasGiven(on: channel) }
        if exchange.isLast { neighbours.persistence.close(channel) }
        neighbours.queue.release(isLast: exchange.isLast)
        if exchange.isLast { bytesContext.close(mode: .output, promise: nil) }
    }

    private func write(_ exchange: Exchange, _ id: String, _ channel: any Channel) {
        let answer = exchange.answer
        let body = exchange.head.method == .HEAD ? ByteBuffer() : answer.body
        let isShort = body.readableBytes <= Self.shortBytesMax
        var bytes = channel.allocator.buffer(
            capacity: answer.head.readableBytes + Self.ownFieldsBytes + (isShort ? body.readableBytes : 0))
        bytes.writeImmutableBuffer(answer.head)
        bytes.writeField("Date", settings.date.text)
        bytes.writeField(HTTPField.Name.requestID.rawName, id)
        if settings.isSecure {
            bytes.writeField(HTTPField.Name.strictTransportSecurity.rawName, SecurityHeaders.transportSecurity)
        }
        if exchange.isLast { bytes.writeStaticString("Connection: close\r\n") }
        bytes.writeStaticString("\r\n")
        if isShort {
            bytes.writeImmutableBuffer(body)
        } else {
            bytesContext.write(NIOAny(bytes), promise: nil)
            bytes = body
        }
        bytesContext.writeAndFlush(NIOAny(bytes), promise: nil)
    }

    /// A longer body is not copied, but sent after its head as it is.
    private static let shortBytesMax = 2_048
    /// Room for the headers that each answer gets anew.
    private static let ownFieldsBytes = 256

    private func log(_ exchange: Exchange, _ id: String, _ channel: any Channel) {
        guard logger.logLevel <= .info else { return }
        var logger = logger
        logger[metadataKey: RequestLog.idKey] = .string(id)
        let head = exchange.head
        let address = settings.proxies.client(
            of: HTTPFields(head.headers, splitCookie: false), from: channel.remoteAddress?.ipAddress)
        RequestLog.write(
            method: head.method == .HEAD ? .head : .get, path: head.uri, status: exchange.answer.status,
            exchange.stopwatch, address: address, to: logger)
    }
}

/// A handler of a connection that has to know of answers that ``StandingAnswerHandler`` gives below it.
protocol StandingAnswerObserver: AnyObject {
    func standingAnswerWasGiven(on channel: any Channel)
}
