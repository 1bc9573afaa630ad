import Fixtures
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct StandingAnswerHandlerTests {
    private let channel: EmbeddedChannel

    init() throws { channel = try Self.connection(ConnectionPlaces(max: 9)) }

    private static func connection(_ places: ConnectionPlaces) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        var answers = StandingAnswers()
        answers.add("/there") { _ in StandingAnswer([.contentType: "text/plain"], body: ByteBuffer(string: "there")) }
        answers.add("/long") { _ in StandingAnswer([.contentType: "text/plain"], body: long) }
        answers.add("/later") { _ in nil }
        let settings = StandingAnswerHandler.Settings(
            answers: answers, date: DateField(now: { Date(timeIntervalSince1970: 0) }), isSecure: true,
            proxies: TrustedProxies([]))
        let (queue, persistence) = (RequestQueue(max: 9), ConnectionPersistence())
        let handlers: [any RemovableChannelHandler] = [ConnectionPlace(places), RequestDeadline(limit: .seconds(10))]
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(
            StandingAnswerHandler(
                settings, above: try pipeline.context(handlerType: HTTPResponseEncoder.self),
                .init(
                    queue: queue, persistence: persistence,
                    observers: handlers.compactMap { $0 as? any StandingAnswerObserver }),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try pipeline.addHandlers(queue, persistence, HTTPTypesCodec())
        try pipeline.addHandlers(handlers)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static let long = ByteBuffer(repeating: UInt8(ascii: "l"), count: 10_000)

    private func send(_ path: String, _ method: String = "GET", _ further: String = "") throws {
        try channel.writeInbound(ByteBuffer(string: Self.request(path, method, further)))
    }

    private static func request(_ path: String, _ method: String = "GET", _ further: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(further)\r\n"
    }

    /// The bytes that were answered here since the last look.
    private func answered() throws -> String {
        channel.embeddedEventLoop.run()
        var bytes = ByteBuffer()
        while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeImmutableBuffer(part) }
        return String(buffer: bytes)
    }

    /// The paths that went on to their routes since the last look.
    private func handedOn() throws -> [String?] {
        var found: [String?] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { found.append(head.path) }
        }
        return found
    }

    /// Answers a request that went on.
    private func answerAbove() throws {
        try channel.writeOutbound(HTTPResponsePart.head(.init(status: .accepted)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private static let status = "HTTP/1.1 200 OK\r\n"

    @Test("what is there is answered at once, and anything else goes on")
    func atOnce() throws {
        try send("/there")
        let whole = try answered()
        #expect(whole.hasPrefix(Self.status) && whole.hasSuffix("\r\n\r\nthere"))
        let fields = [
            "Date: Thu, 01 Jan 1970 00:00:00 GMT", "Content-Length: 5", "Content-Type: text/plain",
            "Strict-Transport-Security: max-age=31536000; includeSubDomains",
        ]
        for field in fields { #expect(whole.contains("\r\n\(field)\r\n"), "\(field)") }
        #expect(whole.contains(#/\r\nX-Request-Id: [0-9a-f]+\r\n/#))
        try send("/there", "HEAD")
        let head = try answered()
        #expect(head.hasPrefix(Self.status) && head.hasSuffix("\r\n\r\n") && head.contains("Content-Length: 5\r\n"))
        try send("/long")
        #expect(try answered().hasSuffix("\r\n\r\n" + String(buffer: Self.long)))
        #expect(try handedOn() == [])
        #expect(channel.isActive)
    }

    @Test("an answer has what a parser finds in those of the encoder")
    func parsed() throws {
        try send("/there")
        let client = EmbeddedChannel()
        try client.pipeline.syncOperations.addHTTPClientHandlers()
        try client.writeOutbound(HTTPClientRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/there")))
        try client.writeInbound(ByteBuffer(string: try answered()))
        guard case .head(let head) = try client.readInbound(as: HTTPClientResponsePart.self) else {
            Issue.record("no head")
            return
        }
        var expected = StandingAnswer([.contentType: "text/plain"], body: ByteBuffer(string: "there")).fields
            .map { "\($0.name.rawName): \($0.value)" }
        expected.append("Date: Thu, 01 Jan 1970 00:00:00 GMT")
        expected.append("Strict-Transport-Security: \(SecurityHeaders.transportSecurity)")
        let found = head.headers.filter { $0.name != "X-Request-Id" }.map { "\($0.name): \($0.value)" }
        #expect(found.sorted() == expected.sorted())
    }

    struct Sent: Sendable {
        let path: String
        var method = "GET"
        var further = ""
    }

    @Test(
        "what is not there yet, or comes with more than its path, goes on to its route",
        arguments: [
            Sent(path: "/later"), Sent(path: "/there?a=b"), Sent(path: "/there/"),
            Sent(path: "/there", method: "POST", further: "Content-Length: 0\r\n"),
            Sent(path: "/there", method: "OPTIONS"), Sent(path: "/there", further: "content-length: 0\r\n"),
            Sent(path: "/there", further: "Transfer-Encoding: chunked\r\n"),
        ])
    func goesOn(_ sent: Sent) throws {
        try send(sent.path, sent.method, sent.further)
        #expect(try answered() == "")
        #expect(try handedOn() == [sent.path])
    }

    @Test(
        "of requests that were sent at once the first is answered here, and the next ones where others get their turns")
    func pipeline() throws {
        try channel.writeInbound(
            ByteBuffer(string: Self.request("/there") + Self.request("/there") + Self.request("/long")))
        #expect(try answered().hasSuffix("there"))
        #expect(try handedOn() == ["/there"])
        try answerAbove()
        #expect(try answered().hasPrefix("HTTP/1.1 202"))
        #expect(try handedOn() == ["/long"])
        try answerAbove()
        #expect(try answered().hasPrefix("HTTP/1.1 202"))
        // Nothing waits any more.
        try send("/there")
        #expect(try answered().hasSuffix("there"))
        #expect(try handedOn() == [])
    }

    @Test("a request behind one that is still answered waits for its turn")
    func behindOthers() throws {
        try send("/later")
        try send("/there")
        #expect(try answered() == "")
        #expect(try handedOn() == ["/later"])
        try answerAbove()
        #expect(try answered().hasPrefix("HTTP/1.1 202"))
        #expect(try handedOn() == ["/there"])
    }

    @Test("a request in pieces is answered when it is there, and no deadline runs after it")
    func inPieces() throws {
        let bytes = Self.request("/there")
        for piece in [bytes.prefix(9), bytes.dropFirst(9).prefix(12), bytes.dropFirst(21)] {
            #expect(try answered() == "")
            try channel.writeInbound(ByteBuffer(string: String(piece)))
            channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        }
        #expect(try answered().hasSuffix("there"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        // The next one has its own.
        try channel.writeInbound(ByteBuffer(string: String(bytes.prefix(9))))
        channel.embeddedEventLoop.advanceTime(by: .seconds(11))
        #expect(!channel.isActive)
    }

    @Test("a connection that is used stays open, and one that is not is closed after 75 seconds")
    func idle() throws {
        for _ in 0..<5 {
            try send("/there")
            channel.embeddedEventLoop.advanceTime(by: .seconds(74))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test(
        "a connection ends after the answer when the request says so, and nothing behind it is answered",
        arguments: [
            "GET /there HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /there HTTP/1.0\r\n\r\n",
        ])
    func last(_ request: String) throws {
        try channel.writeInbound(ByteBuffer(string: request + Self.request("/later")))
        let text = try answered()
        #expect(text.hasPrefix(Self.status) && text.hasSuffix("\r\nConnection: close\r\n\r\nthere"))
        #expect(try handedOn() == [])
        #expect(!channel.isActive)
    }

    @Test("a request that waits elsewhere after one in the same turn, however it was read, goes on to its route")
    func oneATurn() throws {
        // Such as when a client has closed its side: each request is alone in what is read, and all of it is read in one turn.
        for _ in 0..<3 { try send("/there") }
        #expect(try answered().components(separatedBy: "HTTP/1.1 200").count == 2)
        #expect(try handedOn() == ["/there"])
    }

    @Test("bytes behind the last request that are none do nothing more")
    func garbage() throws {
        // The bytes are an error that nobody handles here.
        _ = try? channel.writeInbound(
            ByteBuffer(string: Self.request("/there", "GET", "Connection: close\r\n") + "\u{1}\r\n\r\n"))
        let text = try answered()
        #expect(text.hasSuffix("there") && text.components(separatedBy: "HTTP/1.1").count == 2)
    }

    @Test("a connection that was asked to give way stays if it was used at that moment, and another one is asked")
    func givesWay() throws {
        let places = ConnectionPlaces(max: 1)
        places.connectionOpened()
        let (used, other) = (try Self.connection(places), try Self.connection(places))
        // The first connection is asked on the way of the event from another event loop, in which it is used.
        let event = ConnectionPlaces.GiveWay(turn: 1)
        try used.writeInbound(ByteBuffer(string: Self.request("/there")))
        used.pipeline.fireUserInboundEventTriggered(event)
        #expect(used.isActive && !other.isActive)
        // The same event closes a connection that still waits.
        used.pipeline.fireUserInboundEventTriggered(ConnectionPlaces.GiveWay(turn: 3))
        #expect(!used.isActive)
    }

    @Test(
        "a request that is refused is refused as any other",
        arguments: ["GET /there HTTP/1.1\r\n\r\n", "GET /there HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])
    func refused(_ request: String) throws {
        try channel.writeInbound(ByteBuffer(string: request))
        #expect(try answered().hasPrefix("HTTP/1.1 400"))
        #expect(try handedOn() == [])
    }

    @Test("when the server ends, requests go on to those who tell the client")
    func quiescing() throws {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        try send("/there")
        #expect(try answered() == "")
        #expect(try handedOn() == ["/there"])
    }

    @Test("a client that does not read its answers gets no further ones here")
    func unread() throws {
        channel.isWritable = false
        try send("/there")
        #expect(try answered() == "")
        #expect(try handedOn() == ["/there"])
    }

    @Test("dates are written as RFC 9110 has them")
    func dates() {
        #expect(DateField.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        // A clock before 1970 is wrong, and stops nothing.
        for second in stride(from: -4_000_000_000, to: 4_000_000_000, by: 12_345_677) {
            #expect(DateField.text(of: second) == formatter.string(from: Date(timeIntervalSince1970: Double(second))))
        }
    }
}
