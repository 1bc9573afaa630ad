import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing
@testable import ServerHTTP
@testable import TestServers

/// Connections when the server ends.
@Suite struct LastRequestTests {
    private let channel = EmbeddedChannel()

    init() throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandlers([
            ConnectionPersistence(patience: .seconds(5)), HTTPTypesCodec(), LastRequest(patience: .seconds(1)),
            HTTPConnectionStateHandler(logger: Logger(label: "test")),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func ask() throws {
        try channel.writeInbound(ByteBuffer(string: "GET /page HTTP/1.1\r\nHost: a\r\n\r\n"))
    }

    private func beginAnswer() throws { try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok))) }

    private func endAnswer() throws { try channel.writeOutbound(HTTPResponsePart.end(nil)) }

    private func answer() throws {
        try beginAnswer()
        try endAnswer()
    }

    private func end() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    /// Whether what was answered since the last look says that it is the last.
    private func saysLast() throws -> Bool {
        var bytes = ByteBuffer()
        while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeImmutableBuffer(part) }
        let text = String(buffer: bytes)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        return text.lowercased().contains("connection: close\r\n")
    }

    /// The client has five seconds to read the last answer, and to close the connection itself.
    private func isClosedInTime() -> Bool {
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(4_999))
        guard channel.isActive else { return false }
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        return !channel.isActive
    }

    /// Whether the connection was new, or has been answered before.
    @Test("a connection on which nothing is open has a second for a request", arguments: [true, false])
    func idle(isNew: Bool) throws {
        if !isNew {
            try ask()
            try answer()
            #expect(try !saysLast())
        }
        end()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        try ask()
        // However long the answer takes.
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try answer()
        #expect(try saysLast())
        #expect(isClosedInTime())
    }

    @Test("a connection that says nothing is closed after a second", arguments: [true, false])
    func silent(isNew: Bool) throws {
        if !isNew {
            try ask()
            try answer()
        }
        end()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a connection that waits for its answer is closed after it, when the client has had time to read it")
    func waiting() throws {
        try ask()
        end()
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try answer()
        #expect(try saysLast())
        #expect(isClosedInTime())
    }

    @Test(
        "a connection whose answer had begun has a second after it, because that answer does not say the end",
        arguments: [true, false])
    func late(asksAgain: Bool) throws {
        try ask()
        try beginAnswer()
        end()
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        try endAnswer()
        #expect(try !saysLast())
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        if asksAgain {
            try ask()
            try answer()
            #expect(try saysLast())
            #expect(isClosedInTime())
        } else {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            #expect(!channel.isActive)
        }
    }

    @Test("whatever a client does, its connection is closed before systemd would kill the server")
    func inTime() throws {
        try ask()
        end()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(24_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }
}
