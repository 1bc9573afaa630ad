import Ground
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes

/// Gives ``StandingAnswers`` in the connection's own turn of its event loop: no task is started, no middleware runs, and nobody waits
/// behind the pages of others to learn that the server is alive. docs/decisions/0073-answers-below-the-router.md.
///
/// Where further requests wait on the same connection, the route answers, in a task. The event loop runs everything that it is asked to run
/// later before it looks at other connections again, so that a chain of answers in its turns would keep all others waiting.
final class StandingAnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    /// What the connections of a server share.
    struct Settings: Sendable {
        let answers: StandingAnswers
        let date: DateField
        let isSecure: Bool
        let proxies: TrustedProxies
    }

    private struct Exchange {
        let request: HTTPRequest
        let answer: StandingAnswer
        let stopwatch = Stopwatch()
    }

    private let settings: Settings
    private let queue: RequestQueue
    private let logger: Logger
    /// The request that is answered here and has not arrived completely.
    private var current: Exchange?

    /// - Parameter queue: of the same connection.
    init(_ settings: Settings, queue: RequestQueue, logger: Logger) {
        self.settings = settings
        self.queue = queue
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            guard !queue.hasWaiting, let answer = settings.answers.answer(to: request) else {
                return context.fireChannelRead(data)
            }
            current = Exchange(request: request, answer: answer)
        case .body: context.fireChannelRead(data)
        case .end:
            guard let exchange = current else { return context.fireChannelRead(data) }
            current = nil
            // Later, when all that was read together is in the queue.
            context.eventLoop.assumeIsolated().execute { self.finish(exchange, context) }
        }
    }

    private func finish(_ exchange: Exchange, _ context: ChannelHandlerContext) {
        let id = RequestID().description
        log(exchange, id, context)
        var fields = exchange.answer.fields
        fields.append(HTTPField(name: .date, value: settings.date.text))
        fields.append(HTTPField(name: .requestID, value: id))
        if settings.isSecure { SecurityHeaders.addTransportSecurity(to: &fields) }
        let head = HTTPResponse(status: exchange.answer.status, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if exchange.request.method == .get, exchange.answer.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(exchange.answer.body)), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // ``ConnectionPersistence`` has put the header into this form.
        if exchange.request.headerFields[.connection] == "close" { context.close(mode: .output, promise: nil) }
    }

    private func log(_ exchange: Exchange, _ id: String, _ context: ChannelHandlerContext) {
        guard logger.logLevel <= .info else { return }
        var logger = logger
        logger[metadataKey: RequestLog.idKey] = .string(id)
        let address = settings.proxies.client(
            of: exchange.request.headerFields, from: context.channel.remoteAddress?.ipAddress)
        RequestLog.write(
            method: exchange.request.method, path: exchange.request.path ?? "", status: exchange.answer.status,
            exchange.stopwatch, address: address, to: logger)
    }
}
