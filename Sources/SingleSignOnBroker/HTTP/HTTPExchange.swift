import NIOCore
import NIOHTTP1
import SingleSignOnWire

/// A request that has arrived whole.
struct HTTPExchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer
    let channel: any Channel
    /// Who asks; nil on a connection that is not a Unix socket.
    let peer: Peer?

    /// Without the query.
    var path: Substring { head.uri.prefix { $0 != "?" } }

    /// The first value of a name in the query, decoded.
    func query(_ name: String) -> String? {
        guard let question = head.uri.firstIndex(of: "?") else { return nil }
        return FormEncoding.values(head.uri[head.uri.index(after: question)...])[name]
    }

    func answer(
        _ status: HTTPResponseStatus, _ body: ByteBuffer, type: String = "application/json",
        headers: HTTPHeaders = [:]
    ) {
        var fields = headers
        fields.add(name: "Content-Type", value: type)
        fields.add(name: "Content-Length", value: "\(body.readableBytes)")
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
        end()
    }

    /// An answer in lines, as they come.
    func begin(type: String = "application/x-ndjson") {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Type": type])
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
    }

    func line(_ bytes: ByteBuffer) {
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
    }

    func end() {
        let isWritten = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        // A caller that speaks HTTP/1.0, or says so, reads to the end of the connection. RFC 9112 §9.6.
        guard !head.isKeepAlive else { return }
        let channel = channel
        isWritten.whenComplete { _ in channel.close(promise: nil) }
    }
}

extension FormEncoding {
    /// The first value of each name.
    static func values(_ text: some StringProtocol) -> [String: String] {
        Dictionary(decode(text).map { ($0.name, $0.value) }) { first, _ in first }
    }
}

/// Gathers the parts of requests on one connection, one request after the other.
final class HTTPExchangeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let bodyMax: Int
    private let serve: (HTTPExchange) -> Void
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLarge = false
    private let peer: Peer?

    init(bodyMax: Int, peer: Peer?, serve: @escaping (HTTPExchange) -> Void) {
        self.bodyMax = bodyMax
        self.peer = peer
        self.serve = serve
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            isTooLarge = false
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= bodyMax else {
                isTooLarge = true
                return
            }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            self.head = nil
            let exchange = HTTPExchange(head: head, body: body, channel: context.channel, peer: peer)
            if isTooLarge {
                exchange.answer(
                    .payloadTooLarge, ByteBuffer(string: #"{"error":"At most \#(bodyMax) bytes are taken."}"#))
            } else {
                serve(exchange)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
