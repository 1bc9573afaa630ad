import Ground
import NIOCore
import NIOHTTP1
import SingleSignOnWire

/// A complete request, and its answer. Used on the event loop of its connection alone.
struct HTTPExchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer
    let connection: HTTPConnection

    var channel: any Channel { connection.channel }

    /// The path without the query, still percent-encoded.
    var path: Substring { head.uri.prefix { $0 != "?" } }

    /// The first value of a name in the query, decoded; nil if the name is not there.
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

    /// Writes a part of an answer in lines. The first part also writes status and headers.
    func line(_ bytes: ByteBuffer) {
        if !connection.hasBegun {
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok, headers: ["Content-Type": "application/x-ndjson"])
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
        }
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
    }

    /// Writes the last line, or the whole answer if there was no line before.
    func lastLine(_ bytes: ByteBuffer) {
        guard connection.hasBegun else { return answer(.ok, bytes) }
        line(bytes)
        end()
    }

    private func end() {
        let isWritten = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        // A client of HTTP/1.0, or one that sends `Connection: close`, reads until the connection ends. RFC 9112 §9.6.
        guard !head.isKeepAlive else { return }
        let channel = channel
        isWritten.whenComplete { _ in channel.close(promise: nil) }
    }
}

extension FormEncoding {
    /// The first value of each name.
    static func values(_ text: some StringProtocol) -> [String: String] {
        Dictionary(decodeAsBrowsersDo(String(text)).map { ($0.name, $0.value) }) { first, _ in first }
    }
}
