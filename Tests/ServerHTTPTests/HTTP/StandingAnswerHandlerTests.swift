import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing
@testable import ServerHTTP

@Suite struct StandingAnswerHandlerTests {
    private let channel: EmbeddedChannel

    init() throws {
        var answers = StandingAnswers()
        answers.add("/there") { _ in StandingAnswer([.contentType: "text/plain"], body: ByteBuffer(string: "there")) }
        answers.add("/later") { _ in nil }
        let settings = StandingAnswerHandler.Settings(
            answers: answers, date: DateField(now: { Date(timeIntervalSince1970: 0) }), isSecure: true,
            proxies: TrustedProxies([]))
        let queue = RequestQueue(max: 9)
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(
            queue, HTTPTypesCodec(),
            StandingAnswerHandler(
                settings, queue: queue, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        channel.pipeline.fireChannelActive()
    }

    private func send(_ path: String, _ method: HTTPMethod = .GET, _ headers: HTTPHeaders = [:]) throws {
        try channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: method, uri: path, headers: headers)))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    /// What was answered here since the last look: status, body and end.
    private func answered() throws -> [String] {
        channel.embeddedEventLoop.run()
        var found: [String] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let head): found.append("\(head.status.code) \(head.headers["Date"].first ?? "")")
            case .body(.byteBuffer(let bytes)): found.append(String(buffer: bytes))
            case .body: found.append("?")
            case .end: found.append(".")
            }
        }
        return found
    }

    /// The paths that went on to their routes since the last look.
    private func handedOn() throws -> [String?] {
        var found: [String?] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let head) = part { found.append(head.path) }
        }
        return found
    }

    private static let head = "200 Thu, 01 Jan 1970 00:00:00 GMT"

    @Test("what is there is answered at once, and anything else goes on")
    func atOnce() throws {
        try send("/there")
        #expect(try answered() == [Self.head, "there", "."])
        try send("/there", .HEAD)
        #expect(try answered() == [Self.head, "."])
        #expect(try handedOn() == [])
    }

    struct Sent: Sendable {
        let path: String
        var method = HTTPMethod.GET
        var headers: HTTPHeaders = [:]
    }

    @Test(
        "what is not there yet, or comes with more than its path, goes on to its route",
        arguments: [
            Sent(path: "/later"), Sent(path: "/there?a=b"), Sent(path: "/there/"), Sent(path: "/there", method: .POST),
            Sent(path: "/there", method: .OPTIONS), Sent(path: "/there", headers: ["Content-Length": "0"]),
            Sent(path: "/there", headers: ["Transfer-Encoding": "chunked"]),
        ])
    func goesOn(_ sent: Sent) throws {
        try send(sent.path, sent.method, sent.headers)
        #expect(try answered() == [])
        #expect(try handedOn() == [sent.path])
    }

    @Test(
        "of requests that were sent at once the first is answered here, and the next ones where others get their turns")
    func pipeline() throws {
        for _ in 0..<3 { try send("/there") }
        #expect(try answered() == [Self.head, "there", "."])
        #expect(try handedOn() == ["/there"])
        try channel.writeOutbound(HTTPResponsePart.head(.init(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        // Nothing waits behind the last one.
        #expect(try answered().suffix(3) == [Self.head, "there", "."])
        #expect(try handedOn() == [])
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
