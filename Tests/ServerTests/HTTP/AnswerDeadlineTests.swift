import NIOCore
import NIOPosix
import Server
import Testing

@Suite struct AnswerDeadlineTests {
    /// So many answers that no buffer of the system holds them.
    private static let requests = String(
        repeating: "GET /sign-in HTTP/1.1\r\nHost: a\r\nCookie: lanyard-browser=x\r\n\r\n", count: 4_000)

    @Test("a client that does not read its answers is cut off", .timeLimit(.minutes(1)))
    func unread() async throws {
        try await TestServer.with(configure: { $0.answerTimeout = .milliseconds(300) }) { server in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: server.port).get()
            // Fails when the server has closed; never ends if it does not.
            while (try? await channel.writeAndFlush(ByteBuffer(string: Self.requests)).get()) != nil {}
            try? await channel.close()
        }
    }

    @Test("a client that reads nothing wins no time by asking for more", .timeLimit(.minutes(1)))
    func greedy() async throws {
        try await TestServer.with(configure: { $0.answerTimeout = .milliseconds(300) }) { server in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: server.port).get()
            // What the first answers alone would have: minutes, at 8 KiB a second.
            let request = "GET /lanyard.js HTTP/1.1\r\nHost: a\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: String(repeating: request, count: 2_000))).get()
            // Fails when the server has closed; the time limit ends the test if it does not.
            while (try? await channel.writeAndFlush(ByteBuffer(string: request)).get()) != nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            try? await channel.close()
        }
    }

    @Test("who reads slowly, but reads, gets the whole answer")
    func slow() async throws {
        try await TestServer.with(configure: { $0.answerTimeout = .milliseconds(300) }) { server in
            let answers = try await RawConnection.with(port: server.port) { connection in
                try await connection.send(
                    String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: 20)
                        + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                try await Task.sleep(for: .milliseconds(700))
                return try await connection.readToEnd()
            }
            #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == 21)
        }
    }
}
