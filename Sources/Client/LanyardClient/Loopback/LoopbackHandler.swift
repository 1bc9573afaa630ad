import NIOCore
import NIOHTTP1

/// Reads one request, answers it with a page, and closes the connection.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let door: LoopbackDoor
    private let port: Int
    private let deliver: @Sendable (String) -> Void
    private var head: HTTPRequestHead?
    private var body: ByteBuffer? = ByteBuffer()

    /// The maximum size of a body. A code, a large token and a long state have a few kilobytes.
    private static let bodyBytesMax = 64 << 10

    /// - Parameter deliver: called with the answer when its page has been sent.
    init(door: LoopbackDoor, port: Int, deliver: @escaping @Sendable (String) -> Void) {
        self.door = door
        self.port = port
        self.deliver = deliver
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard self.head == nil else { return context.close(promise: nil) }
            self.head = head
        case .body(var part):
            guard var body, body.readableBytes + part.readableBytes <= Self.bodyBytesMax else { return self.body = nil }
            self.body = nil  // so that the buffer is not copied
            body.writeBuffer(&part)
            self.body = body
        case .end:
            guard let head else { return }
            let verdict = door.verdict(head, body: body.map { String(buffer: $0) }, port: port)
            respond(to: head, verdict, context: context)
        }
    }

    private func respond(to head: HTTPRequestHead, _ verdict: LoopbackDoor.Verdict, context: ChannelHandlerContext) {
        let (page, status, answer): (LoopbackPage, HTTPResponseStatus, String?) =
            switch verdict {
            case .answer(let fields): (FormFields(fields)?["error"] == nil ? .done : .cancelled, .ok, fields)
            case .refused(let refusal): (.refused, refusal, nil)
            }
        let html = page.html(acceptLanguage: head.headers.first(name: "accept-language") ?? "")
        let headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8", "Content-Length": "\(html.utf8.count)",
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy":
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'",
            "Connection": "close",
        ]
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: html)))), promise: nil)
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { [deliver] _ in
            channel.close(promise: nil)
            if let answer { deliver(answer) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
