import NIOCore
import NIOHTTP1

/// Decides whether a connection stays open for another request, and tells the client: the last answer has `Connection:
/// close`. RFC 9112 §9.3 and §9.6.
///
/// Requests for which it is ambiguous where the next one begins, or which host they are for, are refused and end the
/// connection, because a proxy in front may have understood them differently. RFC 9112 §3.2 and §6.1.
final class ConnectionPersistence: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let patience: TimeAmount
    /// The requests whose headers may be longer than those of others; nil if the decoder limits all alike.
    private let longHead: LongHead?
    /// Whether the answer to the current request is the last one.
    private var closes = false
    /// Whether the last answer has begun to be written.
    private var isOver = false
    /// Whether the last answer has been written completely.
    private var isDone = false
    private var closing: Scheduled<Void>?
    /// Closes the connection when the server has waited for long enough to end.
    private var ending: Scheduled<Void>?
    /// systemd kills a server that has not ended after 30 seconds.
    private static let endingMax = TimeAmount.seconds(25)

    /// - Parameter patience: how much time the client gets to read the last answer and to close its side.
    init(patience: Duration = .seconds(5), longHead: LongHead? = nil) {
        self.patience = TimeAmount(patience)
        self.longHead = longHead
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if let status = refusal(of: head) { return refuse(with: status, context) }
        if Self.closes(after: head) { closes = true }
        // This header is the only thing that Hummingbird looks at.
        if closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether the connection ends after a request that ``StandingAnswerHandler`` may answer; nil if that may not, because the
    /// request is refused, or because the connection ends whatever the request says.
    func ends(after head: HTTPRequestHead) -> Bool? {
        guard !closes, !isOver, refusal(of: head) == nil else { return nil }
        return Self.closes(after: head)
    }

    /// Closes the connection in a while, after its last answer was given below.
    func close(_ channel: any Channel) {
        (closes, isOver, isDone) = (true, true, true)
        closing = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    private func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        Self.refusal(of: head) ?? longHead?.refusal(of: head)
    }

    private static func closes(after head: HTTPRequestHead) -> Bool {
        // NIO's decoder reads nothing more after a request for another protocol, or for a tunnel.
        head.version != .http1_1 || head.method == .CONNECT || head.headers.contains(name: "upgrade")
            // The parser takes the old name of the header for the header.
            || ["connection", "proxy-connection"].contains { name in
                head.headers[canonicalForm: name].contains { $0.lowercased() == "close" }
            }
    }

    private static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        let hosts = head.headers["Host"].count
        guard hosts == 1 || hosts == 0 && head.version != .http1_1 else { return .badRequest }
        switch head.headers[canonicalForm: "transfer-encoding"].map({ $0.lowercased() }) {
        // One that is there and empty is no coding either, whatever others make of it.
        case []: return head.headers.contains(name: "transfer-encoding") ? .badRequest : nil
        case ["chunked"]: return head.version == .http1_1 ? nil : .badRequest
        default: return .notImplemented
        }
    }

    private func refuse(with status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Length": "0"])
        closes = true
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
        context.close(mode: .output, promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // If Hummingbird finds a malformed body after it has answered, it answers a second time.
        guard !isDone else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            if closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            isOver = head.headers[canonicalForm: "connection"].contains("close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            if isOver { close(context.channel) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bytes behind the last request are dropped, whatever they are, so that the client can read the last answer.
        guard !isOver else { return }
        // After malformed bytes it is unknown where the next request begins.
        closes = true
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            closes = true
            let channel = context.channel
            ending = context.eventLoop.scheduleTask(in: Self.endingMax) { channel.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopClocks()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stopClocks() }

    private func stopClocks() {
        closing?.cancel()
        ending?.cancel()
    }
}
