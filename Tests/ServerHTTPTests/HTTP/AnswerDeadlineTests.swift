import Fixtures
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix
import Testing
@testable import ServerHTTP

@Suite struct AnswerDeadlineTests {
    /// An answer that no buffer of the system holds.
    private static let large = 24 << 20

    /// Runs `body` against a server that has nothing but the deadline in its connections.
    private static func serving(_ body: @Sendable @escaping (_ port: Int) async throws -> Void) async throws {
        let router = Router()
        router.get("large") { _, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: Self.large)))
        }
        router.get("page") { _, _ in
            Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x61, count: 10_000)))
        }
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            server: HTTPServerBuilder { responder in
                HTTP1Channel(
                    responder: responder,
                    configuration: .init(additionalChannelHandlers: [AnswerDeadline(limit: .milliseconds(300))]))
            },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
            logger: LogRecorder().logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var running = ports.makeAsyncIterator()
            try await body(try #require(await running.next()))
            group.cancelAll()
        }
    }

    private static func unreadingClient(port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port).get()
    }

    @Test("a client that does not read its answers is cut off", .timeLimit(.minutes(1)))
    func unread() async throws {
        try await Self.serving { port in
            let channel = try await Self.unreadingClient(port: port)
            let requests = String(repeating: "GET /page HTTP/1.1\r\nHost: a\r\n\r\n", count: 4_000)
            // Fails when the server has closed; never ends if it does not.
            while (try? await channel.writeAndFlush(ByteBuffer(string: requests)).get()) != nil {}
            try? await channel.close()
        }
    }

    @Test("a client that reads nothing wins no time by asking for more", .timeLimit(.minutes(1)))
    func greedy() async throws {
        try await Self.serving { port in
            let channel = try await Self.unreadingClient(port: port)
            // What the first answers alone would have: minutes, at 8 KiB a second.
            let request = "GET /page HTTP/1.1\r\nHost: a\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: String(repeating: request, count: 4_000))).get()
            // Fails when the server has closed; the time limit ends the test if it does not.
            while (try? await channel.writeAndFlush(ByteBuffer(string: request)).get()) != nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            try? await channel.close()
        }
    }

    @Test("in a server, too, who asks for a large answer and reads nothing is cut off", .timeLimit(.minutes(1)))
    func whole() async throws {
        try await TestServer.with(configure: { $0.answerTimeout = .milliseconds(300) }) { server in
            let channel = try await Self.unreadingClient(port: server.port)
            let requests = String(
                repeating: "GET /sign-in HTTP/1.1\r\nHost: a\r\nCookie: lanyard-browser=x\r\n\r\n", count: 4_000)
            while (try? await channel.writeAndFlush(ByteBuffer(string: requests)).get()) != nil {}
            try? await channel.close()
        }
    }

    @Test("who reads slowly, but reads, gets the whole answer", .timeLimit(.minutes(1)))
    func slow() async throws {
        try await Self.serving { port in
            let answer = try await RawConnection.with(port: port) { connection in
                try await connection.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                try await Task.sleep(for: .milliseconds(900))
                return try await connection.readToEnd()
            }
            #expect(answer.utf8.count > Self.large)
        }
    }
}
