import Fixtures
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Testing
@testable import HiddenMail

@Suite struct RelayListenerTests {
    /// A listener that answers each string with itself, while the block runs.
    private func withEcho(
        bytesMax: Int = 100, frameTime: TimeAmount = .seconds(10), idleTime: TimeAmount = .minutes(1),
        _ body: (Int) async throws -> Void
    ) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var listener = RelayListener(
            name: "echo", address: .tcp(host: "127.0.0.1", port: 0),
            limits: .init(bytesMax: 2 * bytesMax, frameTime: frameTime, idleTime: idleTime),
            makeDecoder: { NetstringDecoder(bytesMax: bytesMax) }, logger: Logger(label: "test")
        ) { frames, answers in
            for try await frame in frames { try await answers.write(ByteBuffer(netstring: frame)) }
        }
        listener.onListening = { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [listener], logger: Logger(label: "test")))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await body(port)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("several questions on one connection are answered in their order")
    func questions() async throws {
        try await withEcho(idleTime: .milliseconds(500)) { port in
            try await RawConnection.with(port: port) { connection in
                try await connection.send("1:a,1:b,")
                try await connection.send("1:x")
                try await connection.send(",")
                let answers = try await connection.readToEnd()
                #expect(answers == "1:a,1:b,1:x,")
            }
        }
    }

    @Test("who sends nonsense, or too much, is cut off")
    func nonsense() async throws {
        try await withEcho { port in
            for text in ["hello", "999:", String(repeating: "1", count: 500)] {
                try await RawConnection.with(port: port) { connection in
                    try await connection.send(text)
                    let answer = try await connection.readToEnd()
                    #expect(answer == "")
                }
            }
        }
    }

    @Test("who does not finish a question in time is cut off, however busily they send", .timeLimit(.minutes(1)))
    func slow() async throws {
        try await withEcho(bytesMax: 99_999, frameTime: .milliseconds(200)) { port in
            try await RawConnection.with(port: port) { connection in
                try await connection.send("99999:")
                // At this pace the question would take half an hour. Sending fails when the listener has hung up.
                let sender = Task {
                    while (try? await connection.send("x")) != nil { try? await Task.sleep(for: .milliseconds(20)) }
                }
                let answer = try await connection.readToEnd()
                #expect(answer == "")
                await sender.value
            }
        }
    }

    @Test("who says nothing for long is cut off")
    func idle() async throws {
        try await withEcho(idleTime: .milliseconds(100)) { port in
            try await RawConnection.with(port: port) { connection in
                let answer = try await connection.readToEnd()
                #expect(answer == "")
            }
        }
    }
}
