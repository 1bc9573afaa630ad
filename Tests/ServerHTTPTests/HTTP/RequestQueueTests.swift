import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
@testable import ServerHTTP
@testable import TestServers

/// What stands in line on one connection.
@Suite struct RequestQueueTests {
    /// Counts what asks the socket for more.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    /// Counts the calls of `channelReadComplete`, without which the handlers behind do not begin.
    private final class Completions: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        var count = 0

        func channelReadComplete(context: ChannelHandlerContext) {
            count += 1
            context.fireChannelReadComplete()
        }
    }

    private let reads = Reads()
    private let completed = Completions()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(reads, RequestQueue(max: 3), completed)
        channel.pipeline.fireChannelActive()
    }

    private func send(_ path: String, body: String? = nil) throws {
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: path)))
        if let body { try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body))) }
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    private func answer(_ headers: HTTPHeaders = [:]) throws {
        try channel.writeOutbound(
            HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: headers)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// What has been handed on since the last look: paths, bodies in brackets, and what they say of the connection.
    private func handedOn() throws -> [String] {
        var found: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): found.append(head.uri + head.headers["Connection"].map { " \($0)" }.joined())
            case .body(let buffer): found.append("[\(String(buffer: buffer))]")
            case .end: found.append(".")
            }
        }
        return found
    }

    @Test("the next request is handed on when the answer before it is written, and in another turn")
    func oneAtATime() throws {
        for path in ["/1", "/2", "/3"] { try send(path, body: path == "/2" ? "b" : nil) }
        #expect(try handedOn() == ["/1", "."])
        try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        channel.embeddedEventLoop.run()
        #expect(try handedOn() == [])
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        #expect(try handedOn() == [])
        channel.embeddedEventLoop.run()
        #expect(try handedOn() == ["/2", "[b]", "."])
        try answer()
        channel.embeddedEventLoop.run()
        #expect(try handedOn() == ["/3", "."])
        try answer()
        channel.embeddedEventLoop.run()
        try send("/4")
        #expect(try handedOn() == ["/4", "."])
    }

    @Test("each request that is handed on is all for now, whatever waits behind it")
    func completions() throws {
        for path in ["/1", "/2"] {
            channel.pipeline.fireChannelRead(
                HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: path)))
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
        }
        channel.pipeline.fireChannelReadComplete()
        #expect(completed.count == 1)
        channel.pipeline.fireChannelReadComplete()
        #expect(completed.count == 1)
        try answer()
        channel.embeddedEventLoop.run()
        #expect(completed.count == 2)
    }

    @Test("nothing is read while a request is answered or others wait, and again when it is their turn")
    func reading() throws {
        channel.read()
        #expect(reads.count == 1)
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/1")))
        channel.read()
        #expect(reads.count == 2)  // its body
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try send("/2")
        channel.read()
        #expect(reads.count == 2)
        try answer()
        channel.embeddedEventLoop.run()
        #expect(reads.count == 2)  // the second is being answered
        try answer()
        #expect(reads.count == 3)
    }

    @Test("an answer that comes before its request is whole waits for the rest of it")
    func earlyAnswer() throws {
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/1")))
        try answer()
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "late")))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try send("/2")
        channel.embeddedEventLoop.run()
        #expect(try handedOn() == ["/1", "[late]", ".", "/2", "."])
    }

    @Test(
        "of more requests than may wait, the last that may is told to close, and the others are dropped"
    )
    func bound() throws {
        for number in 1...9 { try send("/\(number)") }
        var all = try handedOn()
        for _ in 1...9 {
            try answer(all.last { $0.hasPrefix("/") }?.hasSuffix("close") == true ? ["Connection": "close"] : [:])
            channel.embeddedEventLoop.run()
            all += try handedOn()
        }
        #expect(all == ["/1", ".", "/2", ".", "/3", ".", "/4 close", "."])
        // What still comes is read and thrown away, so that the client can read in peace.
        channel.read()
        #expect(reads.count == 1)
        try send("/10")
        #expect(try handedOn() == [])
    }

    @Test("what is no HTTP is told in its turn, after the requests before it")
    func errors() throws {
        try send("/1")
        try send("/2")
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidVersion)
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        try answer()
        channel.embeddedEventLoop.run()
        #expect(try handedOn() == ["/1", ".", "/2", "."])
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        try answer()
        channel.embeddedEventLoop.run()
        #expect(throws: HTTPParserError.invalidVersion) { try channel.throwIfErrorCaught() }
    }
}
