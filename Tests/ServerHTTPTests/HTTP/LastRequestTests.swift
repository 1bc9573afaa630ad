import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing
@testable import ServerHTTP

/// Connections when the server ends.
@Suite struct LastRequestTests {
    private static func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            LastRequest(patience: .seconds(1)),
            HTTPConnectionStateHandler(logger: Logger(label: "test")),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static let head = HTTPRequestPart.head(
        HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/healthz"))

    private static func ask(_ channel: EmbeddedChannel) throws {
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }

    private static func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private static func end(_ channel: EmbeddedChannel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    /// Whether the connection was new, or has been answered before.
    @Test("a connection on which nothing is open has a second for a request", arguments: [true, false])
    func idle(isNew: Bool) throws {
        let channel = try Self.connection()
        if !isNew {
            try Self.ask(channel)
            try Self.answer(channel)
        }
        Self.end(channel)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        try Self.ask(channel)
        // However long the answer takes.
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try Self.answer(channel)
        #expect(!channel.isActive)
    }

    @Test("a connection that says nothing is closed after a second", arguments: [true, false])
    func silent(isNew: Bool) throws {
        let channel = try Self.connection()
        if !isNew {
            try Self.ask(channel)
            try Self.answer(channel)
        }
        Self.end(channel)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a connection that waits for its answer is closed after it")
    func waiting() throws {
        let channel = try Self.connection()
        try Self.ask(channel)
        Self.end(channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        try Self.answer(channel)
        #expect(!channel.isActive)
    }

    @Test("a connection whose answer had begun has a second after it, because that answer does not say the end")
    func late() throws {
        for asksAgain in [true, false] {
            let channel = try Self.connection()
            try Self.ask(channel)
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            Self.end(channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
            #expect(channel.isActive)
            if asksAgain {
                try Self.ask(channel)
                try Self.answer(channel)
            } else {
                channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            }
            #expect(!channel.isActive)
        }
    }
}
