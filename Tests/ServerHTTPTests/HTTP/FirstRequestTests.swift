import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing
@testable import ServerHTTP

/// Connections when the server ends.
@Suite struct FirstRequestTests {
    private static func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            FirstRequest(patience: .seconds(1)),
            HTTPConnectionStateHandler(logger: Logger(label: "test")),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static let head = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/healthz"))

    private static func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private static func end(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    @Test("a new connection has a second for its request, which is answered")
    func new() throws {
        let channel = try Self.connection()
        Self.end(channel)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        try channel.writeInbound(Self.head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        // However long the answer takes.
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try Self.answer(channel)
        #expect(!channel.isActive)
    }

    @Test("a new connection that says nothing is closed after a second")
    func silent() throws {
        let channel = try Self.connection()
        Self.end(channel)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a connection that has been answered is closed at once, and one that waits for its answer after it")
    func later() throws {
        for isAnswered in [true, false] {
            let channel = try Self.connection()
            try channel.writeInbound(Self.head)
            try channel.writeInbound(HTTPRequestPart.end(nil))
            if isAnswered { try Self.answer(channel) }
            Self.end(channel)
            #expect(channel.isActive == !isAnswered)
            if !isAnswered {
                try Self.answer(channel)
                #expect(!channel.isActive)
            }
        }
    }
}
