import Fixtures
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing
@testable import ServerHTTP
@testable import TestServers

/// That nobody keeps the others out, by asking much at once or by saying nothing.
@Suite struct FairnessTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let last = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(
        "a newcomer is answered before most of what others have asked for at once",
        .timeLimit(.minutes(3)))
    func pipelines() async throws {
        let (connections, each) = (4, 1_000)
        try await TestServer.with { server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<connections {
                    group.addTask {
                        try await RawConnection.with(port: server.port) { connection in
                            try await connection.send(String(repeating: Self.request, count: each) + Self.last)
                            return try await connection.readToEnd().ranges(of: "HTTP/1.1 200 OK").count
                        }
                    }
                }
                func answered() -> Int { server.log.lines.count { $0.metadata["path"] == "/healthz" } }
                while answered() < connections { try await Task.sleep(for: .milliseconds(5)) }
                let before = answered()
                let newcomer = try await RawConnection.exchange(
                    "GET /lanyard.js HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port)
                let place = server.log.lines.filter { $0.message == "request" }
                    .firstIndex { $0.metadata["path"] == "/lanyard.js" }
                #expect(newcomer.hasPrefix("HTTP/1.1 200"))
                // The newcomer is answered after a few requests of each connection, and not after all of them.
                #expect(try #require(place) < before + connections * each / 4)
                let all = try await group.reduce(into: []) { $0.append($1) }
                #expect(all == Array(repeating: each + 1, count: connections))
            }
        }
    }

    @Test(
        "connections run with a lower priority than the task that accepts them, and it lifts none",
        .timeLimit(.minutes(1)))
    func priorities() async throws {
        let seen = Mutex<TaskPriority?>(nil)
        let setup = ConnectionSetup(
            responder: { _, writer, _ in
                seen.withLock { $0 = Task.currentPriority }
                try await writer.writeResponse(HTTPResponse(status: .noContent))
            }, makeHandlers: { [] })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in setup.setup(channel: channel, logger: logger) }
        let port = try #require(server.channel.localAddress?.port)
        try await server.executeThenClose { connections in
            async let answer = RawConnection.exchange(Self.last, port: port)
            for try await connection in connections {
                await Task(priority: .high) { await setup.handle(value: connection, logger: logger) }.value
                break
            }
            let answered = try await answer
            #expect(answered.hasPrefix("HTTP/1.1 204"))
        }
        #expect(seen.withLock { $0 } == .low)
    }

    @Test(
        "when all places are taken, the connection that has waited longest gives way",
        .timeLimit(.minutes(1)))
    func longestIdle() async throws {
        try await TestServer.with(
            configure: {
                $0.connectionsMax = 3
                // On a busy machine, a request can come late.
                $0.requestTimeout = .seconds(60)
            }
        ) { server in
            try await RawConnection.with(port: server.port) { first in
                try await first.send(Self.request)
                #expect(try await first.read(through: "ok\n").hasPrefix("HTTP/1.1 200"))
                try await RawConnection.with(port: server.port) { second in
                    try await second.send(Self.request)
                    #expect(try await second.read(through: "ok\n").hasPrefix("HTTP/1.1 200"))
                    #expect(try await RawConnection.exchange(Self.last, port: server.port).hasPrefix("HTTP/1.1 200"))
                    #expect(try await first.readToEnd() == "")
                    try await second.send(Self.last)
                    #expect(try await second.readToEnd().ranges(of: "HTTP/1.1 200 OK").count == 1)
                }
            }
        }
    }

    @Test("a hundred silent connections keep nobody out", .timeLimit(.minutes(1)))
    func silent() async throws {
        try await TestServer.with(configure: { $0.connectionsMax = 20 }) { server in
            var silent: [any Channel] = []
            for _ in 0..<100 {
                silent.append(
                    try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                        .connect(host: "127.0.0.1", port: server.port).get())
            }
            for _ in 0..<3 {
                let answer = try await RawConnection.exchange(Self.last, port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
            for channel in silent { try? await channel.close() }
        }
    }
}
