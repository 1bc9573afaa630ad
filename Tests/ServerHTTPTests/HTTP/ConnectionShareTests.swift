import Fixtures
import ServerHTTP
import Testing

@testable import TestServers

@Suite struct ConnectionShareTests {
    private static let start = "GET /healthz HTTP/1.1\r\nHost: a\r\n"
    private static let request = start + "Connection: close\r\n\r\n"

    @Test("beyond its share a connection of an address is closed at once, until one of the others is")
    func share() async throws {
        try await TestServer.with(
            configure: {
                $0.trustedProxies = []
                $0.connectionsPerAddress = 2
            }
        ) { server in
            try await RawConnection.with(port: server.port) { first in
                try await RawConnection.with(port: server.port) { second in
                    for connection in [first, second] { try await connection.send(Self.start + "\r\n") }
                    while server.log.lines.count(where: { $0.message == "request" }) < 2 { await Task.yield() }
                    for _ in 0..<3 {
                        let refused = try? await RawConnection.exchange(Self.request, port: server.port)
                        #expect(refused ?? "" == "")
                    }
                    try await second.send(Self.request)
                    _ = try await second.readToEnd()
                }
                // The server notices the end of the connection a moment after we do.
                while await (try? RawConnection.exchange(Self.request, port: server.port))?.isEmpty ?? true {
                    try Task.checkCancellation()
                }
                try await first.send(Self.request)
                #expect(try await first.readToEnd().ranges(of: "HTTP/1.1 200 OK").count == 2)
            }
        }
    }

    @Test("everybody comes through a proxy: its connections are not counted")
    func proxies() async throws {
        try await TestServer.with(configure: { $0.connectionsPerAddress = 1 }) { server in
            try await RawConnection.with(port: server.port) { first in
                try await first.send(Self.start)
                #expect(
                    try await RawConnection.exchange(Self.request, port: server.port).hasPrefix("HTTP/1.1 200 OK"))
            }
        }
    }
}
