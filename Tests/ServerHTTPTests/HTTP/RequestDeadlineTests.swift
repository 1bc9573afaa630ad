import Fixtures
import ServerHTTP
import Testing

/// Requests that do not end.
@Suite struct RequestDeadlineTests {
    @Test(
        "a connection whose request is not there in time is closed, however often a byte comes",
        arguments: [
            "", "GET /", "POST /sign-in HTTP/1.1\r\nHost: a\r\n",
            """
            POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\
            Content-Type: application/x-www-form-urlencoded\r\n\r\na=
            """,
            "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /",
        ])
    func slow(_ start: String) async throws {
        try await TestServer.with(configure: { $0.requestTimeout = .milliseconds(400) }) { server in
            let clock = ContinuousClock()
            let elapsed = try await clock.measure {
                try await RawConnection.with(port: server.port) { connection in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        if !start.isEmpty { try await connection.send(start) }
                        group.addTask {
                            // Fails when the server has closed.
                            while !start.isEmpty {
                                try await Task.sleep(for: .milliseconds(50))
                                guard (try? await connection.send("x")) != nil else { return }
                            }
                        }
                        _ = try? await connection.readToEnd()
                        group.cancelAll()
                    }
                }
            }
            #expect(elapsed > .milliseconds(350))
            #expect(elapsed < .seconds(20))
        }
    }

    @Test("a connection between two requests has all the time of keep-alive")
    func keepAlive() async throws {
        try await TestServer.with(configure: { $0.requestTimeout = .milliseconds(200) }) { server in
            let answers = try await RawConnection.with(port: server.port) { connection in
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                try await Task.sleep(for: .milliseconds(600))
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try await connection.readToEnd()
            }
            #expect(answers.ranges(of: "HTTP/1.1 200 OK").count == 2)
        }
    }

    @Test("beyond the bound a connection waits until another one closes")
    func bound() async throws {
        try await TestServer.with(configure: { $0.connectionsMax = 1 }) { server in
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            try await RawConnection.with(port: server.port) { first in
                try await first.send("GET /healthz HTTP/1.1\r\n")
                try await Task.sleep(for: .milliseconds(100))
                async let second = RawConnection.exchange(request, port: server.port)
                try await Task.sleep(for: .milliseconds(300))
                let served = server.log.lines.count { $0.message == "request" }
                #expect(served == 0)
                try await first.send("Host: a\r\nConnection: close\r\n\r\n")
                let answers = (try await first.readToEnd(), try await second)
                #expect(answers.0.hasPrefix("HTTP/1.1 200 OK") && answers.1.hasPrefix("HTTP/1.1 200 OK"))
            }
        }
    }
}
