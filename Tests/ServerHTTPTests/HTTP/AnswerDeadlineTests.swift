import Fixtures
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct AnswerDeadlineTests {
    private let client = Client()
    private let channel: EmbeddedChannel

    /// A connection with the deadline, whose clock the test moves.
    init() throws {
        channel = EmbeddedChannel(handlers: [client, AnswerDeadline(limit: .seconds(30))])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    /// Writes the parts of an answer, which nobody waits for.
    private func answer(chunks: Int, bytes: Int) {
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        for _ in 0..<chunks {
            channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0x61, count: bytes)), promise: nil)
        }
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
    }

    @Test("a client that reads nothing is cut off, and wins no time by asking for more")
    func greedy() {
        for _ in 0..<30 {
            answer(chunks: 1, bytes: 1 << 20)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("who stops reading has what the next part has, and no more")
    func stopping() {
        answer(chunks: 100, bytes: 64 << 10)
        client.read(parts: 2)  // head and first chunk
        channel.embeddedEventLoop.advanceTime(by: .seconds(30 + 8) - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("who reads 8 KiB a second gets the whole answer, and may then keep the connection")
    func slow() {
        answer(chunks: 100, bytes: 64 << 10)
        client.read(parts: 1)
        for _ in 0..<100 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(8))
            #expect(channel.isActive)
            client.read(parts: 1)
        }
        client.read(parts: 1)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive && client.waiting == 0)
    }

    @Test("who reads slower is cut off when the whole should have left")
    func slower() {
        answer(chunks: 100, bytes: 64 << 10)
        client.read(parts: 1)
        let end = 30 + 100 * 8
        for _ in 0..<(end / 10 - 1) {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            client.read(parts: 1)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(10) - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("the server has the deadline in its connections", .timeLimit(.minutes(1)))
    func whole() async throws {
        try await TestServer.with(configure: { $0.answerTimeout = .milliseconds(300) }) { server in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: server.port).get()
            let requests = String(
                repeating: "GET /sign-in HTTP/1.1\r\nHost: a\r\nCookie: lanyard-browser=x\r\n\r\n", count: 4_000)
            // Fails when the server has closed; the time limit ends the test if it does not.
            while (try? await channel.writeAndFlush(ByteBuffer(string: requests)).get()) != nil {}
            try? await channel.close()
        }
    }
}

/// In place of the network: a write completes when the client reads it.
private final class Client: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var parts: [(part: NIOAny, promise: EventLoopPromise<Void>?)] = []
    private var context: ChannelHandlerContext?

    var waiting: Int { parts.count }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        for (_, promise) in parts { promise?.fail(ChannelError.ioOnClosedChannel) }
        parts = []
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        parts.append((data, promise))
    }

    func read(parts count: Int) {
        for (part, promise) in parts.prefix(count) { context?.write(part, promise: promise) }
        parts.removeFirst(count)
        context?.flush()
    }
}
