import Fixtures
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
@testable import ServerHTTP
@testable import TestServers

/// What is said on the wire about the next request. RFC 9112.
@Suite struct ConnectionPersistenceTests {
    /// Sends bytes as they are, and reads until the server has closed.
    private func exchange(_ request: String, _ server: TestServer) async throws -> String {
        try await RawConnection.exchange(request, port: server.port)
    }

    /// How many answers there are, and whether each says that it is the last.
    private func answers(_ text: String) -> [Bool] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().map {
            $0.lowercased().contains("\r\nconnection: close\r\n")
        }
    }

    @Test(
        "an answer after which the connection is closed says so, however the client has asked for it",
        .timeLimit(.minutes(1)),
        arguments: [
            "HTTP/1.1\r\nHost: a\r\nConnection: close", "HTTP/1.1\r\nHost: a\r\nConnection: Close",
            "HTTP/1.1\r\nHost: a\r\nConnection: TE, close",
            "HTTP/1.1\r\nHost: a\r\nConnection: TE\r\nConnection: CLOSE ",
            "HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c",
            "HTTP/1.1\r\nHost: a\r\nUpgrade: websocket",
            "HTTP/1.1\r\nHost: a\r\nProxy-Connection: close",
            "HTTP/1.0\r\nHost: a", "HTTP/1.0", "HTTP/1.0\r\nConnection: keep-alive",
        ])
    func close(_ head: String) async throws {
        try await TestServer.with { server in
            for path in ["/healthz", "/nowhere", "/sign-in"] {
                let text = try await exchange("GET \(path) \(head)\r\n\r\n", server)
                #expect(answers(text) == [true], "\(path) \(head)")
            }
        }
    }

    @Test("otherwise the connection stays, and its answers say nothing", .timeLimit(.minutes(1)))
    func keep() async throws {
        try await TestServer.with { server in
            let stays = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: closed, keep-alive\r\n\r\n"
            let text = try await exchange(
                stays + stays + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + stays, server)
            #expect(answers(text) == [false, false, true])
        }
    }

    @Test("an error answer before the body was read closes in the same way", .timeLimit(.minutes(1)))
    func unreadBody() async throws {
        try await TestServer.with { server in
            let text = try await exchange(
                "POST /sign-in HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", server)
            #expect(text.hasPrefix("HTTP/1.1 4") && answers(text) == [true])
        }
    }

    @Test(
        "a request that names no host or two, or whose end others may see elsewhere, is refused",
        .timeLimit(.minutes(1)),
        arguments: [
            ("GET /healthz HTTP/1.1\r\n\r\n", "400"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"),
            ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", "400"),
            ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \t\r\nContent-Length: 1\r\n\r\na", "400"),
            ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,\r\n\r\n0\r\n\r\n", "400"),
            ("POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"),
            ("POST /healthz HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ])
    func refused(_ request: String, _ status: String) async throws {
        try await TestServer.with { server in
            // What follows is not taken for another request.
            let text = try await exchange(request + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", server)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answers(text) == [true])
            #expect(!server.log.lines.contains { $0.message == "request" })
        }
    }

    @Test(
        "a chunked body that is none is refused with 400, and is no error of the server's",
        .timeLimit(.minutes(1)),
        arguments: ["3;x=\"\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n", "x\r\n", "3\r\nabcd\r\n0\r\n\r\n"])
    func chunks(_ body: String) async throws {
        try await TestServer.with { server in
            for path in ["/oidc/token", "/auth/token", "/auth/oauth2/v2/token", "/sign-in", "/device-session"] {
                let text = try await exchange(
                    """
                    POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\n\r\n\(body)
                    """, server)
                #expect(text.hasPrefix("HTTP/1.1 4"), "\(path) \(text.prefix(200))")
                #expect(answers(text) == [true], "\(path)")
            }
            #expect(!server.log.lines.contains { $0.level >= .error })
        }
    }

    @Test("whole chunks are a body", .timeLimit(.minutes(1)))
    func wholeChunks() async throws {
        try await TestServer.with { server in
            let text = try await exchange(
                """
                POST /oidc/token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n\r\n7\r\na=b&a=b\r\n0\r\n\r\n
                """, server)
            // It was read: what stands in it twice is refused.
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("invalid_request") && answers(text) == [true])
        }
    }

    @Test("what comes behind the last request ends nothing before the client has read the last answer")
    func bytesBehind() throws {
        for last in [
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
        ] {
            let channel = EmbeddedChannel()
            let errors = ErrorKeeper()
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(
                HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(), maximumBufferSize: 1_000))
            try pipeline.addHandlers(ConnectionPersistence(), errors)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeInbound(ByteBuffer(string: last))
            try channel.writeOutbound(
                HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
            try channel.writeInbound(ByteBuffer(string: "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"))
            try channel.writeInbound(ByteBuffer(repeating: 0, count: 2_000))
            #expect(channel.isActive && errors.count == 0)
        }
    }

    private final class ErrorKeeper: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private(set) var count = 0

        func errorCaught(context: ChannelHandlerContext, error: any Error) { count += 1 }
    }
}
