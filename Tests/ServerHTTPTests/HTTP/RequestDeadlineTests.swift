import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing
@testable import ServerHTTP
@testable import TestServers

/// Requests that do not end.
@Suite struct RequestDeadlineTests {
    private static let whole = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static let beginnings = [
        "", "GET /", "POST /sign-in HTTP/1.1\r\nHost: a\r\n",
        """
        POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\
        Content-Type: application/x-www-form-urlencoded\r\n\r\na=
        """,
    ]

    /// A connection as the server has it, up to the deadline, with a clock that the test moves.
    private static func connection(limit: Duration) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false)
        try channel.pipeline.syncOperations.addHandlers([
            HTTP1ToHTTPServerCodec(secure: false), RequestDeadline(limit: limit),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    @Test(
        "a connection whose request is not there in time is closed, however often a byte comes", arguments: beginnings)
    func late(_ beginning: String) throws {
        let channel = try Self.connection(limit: .seconds(4))
        if !beginning.isEmpty { try channel.writeInbound(ByteBuffer(string: beginning)) }
        for _ in 0..<39 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
            if !beginning.isEmpty { try channel.writeInbound(ByteBuffer(string: "x")) }
        }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a long body wins a second for each 32 KiB, and nothing when it stops")
    func upload() throws {
        let channel = try Self.connection(limit: .seconds(4))
        try channel.writeInbound(
            ByteBuffer(string: "POST /manager/imports/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
        )
        for _ in 0..<60 {
            try channel.writeInbound(ByteBuffer(repeating: 0x61, count: 32 << 10))
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(3_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a connection between two requests has all the time of keep-alive")
    func keepAlive() throws {
        let channel = try Self.connection(limit: .seconds(4))
        try channel.writeInbound(ByteBuffer(string: Self.whole))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeInbound(ByteBuffer(string: "GET /"))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(3_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("the server has the deadline in its connections", .timeLimit(.minutes(10)), arguments: beginnings)
    func served(_ beginning: String) async throws {
        try await TestServer.with(configure: { $0.requestTimeout = .milliseconds(400) }) { server in
            try await RawConnection.with(port: server.port) { connection in
                if !beginning.isEmpty { try await connection.send(beginning) }
                // Ends when the server has closed; the time limit ends the test if it does not.
                _ = try? await connection.readToEnd()
            }
        }
    }

    @Test("the server has it for later requests of a connection, too", .timeLimit(.minutes(10)))
    func later() async throws {
        try await TestServer.with(configure: { $0.requestTimeout = .milliseconds(400) }) { server in
            try await RawConnection.with(port: server.port) { connection in
                try await connection.send(Self.whole)
                _ = try await connection.read(through: "ok\n")
                try await connection.send("GET /")
                _ = try? await connection.readToEnd()
            }
        }
    }

    @Test("beyond the bound a connection waits until another one closes", .timeLimit(.minutes(10)))
    func bound() async throws {
        try await TestServer.with(
            configure: {
                $0.connectionsMax = 1
                // On a busy machine, the rest of the first request can come minutes later.
                $0.requestTimeout = .seconds(600)
            }
        ) { server in
            try await RawConnection.with(port: server.port) { first in
                // Accepted first, because it came first.
                try await first.send("GET /healthz HTTP/1.1\r\n")
                async let second = RawConnection.exchange(
                    "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port)
                // Time for a server without the bound to answer the second one; nothing else depends on it.
                try await Task.sleep(for: .milliseconds(300))
                try await first.send("Host: a\r\nConnection: close\r\n\r\n")
                let answers = (try await first.readToEnd(), try await second)
                #expect(answers.0.hasPrefix("HTTP/1.1 200 OK") && answers.1.hasPrefix("HTTP/1.1 200 OK"))
            }
            let paths = server.log.lines.filter { $0.message == "request" }.compactMap { $0.metadata["path"] }
            #expect(paths == ["/healthz", "/readyz"])
        }
    }
}
