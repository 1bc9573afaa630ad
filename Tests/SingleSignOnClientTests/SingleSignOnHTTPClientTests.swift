import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SingleSignOnHTTP
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

/// `127.0.0.1` and `localhost` serve as two origins of one web site. The broker's answers are each test's own.
@Suite struct SingleSignOnHTTPClientTests {
    private static func string(_ value: some Encodable) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A broker that covers all URLs that contain one of `words`, and answers requests with `outcome`; nil for no
    /// answer.
    private static func broker(
        covering words: [String], _ outcome: @escaping @Sendable (BrokerRequest) -> BrokerOutcome?
    ) throws -> FakeBroker {
        try FakeBroker { request in
            if request.hasPrefix("GET /v1/match") {
                let isCovered = words.contains { request.prefix { $0 != "\r\n" }.contains($0) }
                let match = BrokerMatch(
                    isCovered: isCovered, extension: nil, extensionName: nil,
                    reason: isCovered ? .answered : .notCovered, explanation: "")
                return FakeBroker.json(string(match))
            }
            let body = request.range(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
            guard let message = try? JSONDecoder().decode(BrokerRequest.self, from: Data(body.utf8)),
                let answer = outcome(message)
            else { return FakeBroker.json("{}", status: 500) }
            return FakeBroker.json(string(BrokerEvent.finished(answer)))
        }
    }

    private func execute(
        _ request: HTTPClientRequest, _ broker: String, patience: TimeAmount = .seconds(600),
        _ check: (HTTPClientResponse, SingleSignOnHTTPClient) async throws -> Void
    ) async throws {
        var brokerClient = BrokerClient(socketPath: broker)
        brokerClient.patience = patience
        let client = SingleSignOnHTTPClient(presentation: .none, broker: brokerClient)
        do {
            try await check(try await client.execute(request, timeout: .minutes(1)), client)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private static func headers(_ requests: [String], _ name: String) -> [String] {
        requests.map { request in
            request.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
    }

    private static func port(_ request: String) -> String {
        headers([request], "host")[0].split(separator: ":").last.map(String.init) ?? ""
    }

    private static func paths(_ requests: [String]) -> [String] {
        requests.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    @Test func `without a broker everything is as with HTTPClient`() async throws {
        let site = try FakeBroker(isSite: true) { request in
            request.hasPrefix("GET /first")
                ? FakeBroker.page("", status: 302, ["Location: /second"]) : FakeBroker.page("hello", status: 401)
        }
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/first")
        let start = ContinuousClock.now
        try await execute(request, "/nowhere/sso.sock") { response, _ in
            #expect(response.status == .unauthorized)
            #expect(response.url?.path == "/second")
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "hello")
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `a broker that hangs costs seconds and no answer`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("hello") }
        let broker = try FakeBroker { _ in ("", .hold) }
        let start = ContinuousClock.now
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/")
        try await execute(request, broker.path, patience: BrokerClient().patience) { response, _ in
            #expect(response.status == .ok)
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `a challenge is answered, and the headers go to that origin alone`() async throws {
        let site = try FakeBroker(isSite: true) { request in
            if request.contains("/landed") { return FakeBroker.page("landed") }
            guard request.contains("authorization: Negotiate abc") else {
                return FakeBroker.page("who?", status: 401, ["WWW-Authenticate: Negotiate", "WWW-Authenticate: Basic"])
            }
            let port = Self.port(request)
            return FakeBroker.page("", status: 307, ["Location: http://localhost:\(port)/landed"])
        }
        let broker = try Self.broker(covering: ["responseCode=401"]) { message in
            #expect(message.responseCode == 401)
            #expect(message.headers?.values(of: "www-authenticate") == ["Negotiate", "Basic"])
            #expect(message.presentation == BrokerRequest.Presentation.none)
            return BrokerOutcome(
                .headers, reason: .answered,
                authorizationHeaders: [
                    HeaderField("authorization", "Negotiate abc"), HeaderField("X-Proof", "1"),
                    HeaderField("Host", "evil"),
                ])
        }
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/secret")
        request.method = .POST
        request.headers.add(name: "cookie", value: "own=1")
        request.body = .bytes(ByteBuffer(string: "again"))
        try await execute(request, broker.path) { response, _ in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "landed")
        }
        #expect(Self.paths(site.requests) == ["POST /secret", "POST /secret", "POST /landed"])
        #expect(Self.headers(site.requests, "authorization") == ["", "Negotiate abc", ""])
        #expect(Self.headers(site.requests, "x-proof") == ["", "1", ""])
        #expect(Self.headers(site.requests, "cookie") == ["own=1", "own=1", ""])
        #expect(Self.headers(site.requests, "host").allSatisfy { $0 != "evil" })
        #expect(site.requests.allSatisfy { $0.hasSuffix("\r\n\r\nagain") })
    }

    @Test func `a site that asks like a proxy gets no answer`() async throws {
        let site = try FakeBroker(isSite: true) { _ in
            FakeBroker.page("no", status: 407, ["Proxy-Authenticate: Basic"])
        }
        let broker = try Self.broker(covering: ["responseCode=40"]) { _ in
            BrokerOutcome(
                .headers, reason: .answered, authorizationHeaders: [HeaderField("Proxy-Authorization", "Basic abc")])
        }
        try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/"), broker.path) { response, _ in
            #expect(response.status == .proxyAuthenticationRequired)
        }
        #expect(site.requests.count == 1)
        #expect(broker.requests.allSatisfy { !$0.hasPrefix("POST") })
    }

    @Test(.timeLimit(.minutes(1)), arguments: [302, 401])
    func `a server that does not end what nobody reads keeps nobody`(status: Int) async throws {
        let site = try FakeBroker(isSite: true) { request in
            guard !request.contains("/second"), !request.contains("Authorization: X y") else {
                return FakeBroker.page("there")
            }
            let head = "HTTP/1.1 \(status) X\r\nContent-Length: 10\r\nWWW-Authenticate: X\r\nLocation: /second\r\n\r\n"
            return (head + "some", .hold)
        }
        let broker = try Self.broker(covering: ["401"]) { _ in
            BrokerOutcome(.headers, reason: .answered, authorizationHeaders: [HeaderField("Authorization", "X y")])
        }
        try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/first"), broker.path) { response, _ in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "there")
        }
    }

    @Test func `a challenge gets two legs, and the third refusal is the program's`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("no", status: 401, ["WWW-Authenticate: Legs"]) }
        let broker = try Self.broker(covering: ["401"]) { _ in
            BrokerOutcome(.headers, reason: .answered, authorizationHeaders: [HeaderField("Authorization", "Legs x")])
        }
        try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/"), broker.path) { response, _ in
            #expect(response.status == .unauthorized)
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "no")
        }
        #expect(site.requests.count == 3)
    }

    @Test func `a body that streams is not sent again`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("no", status: 401, ["WWW-Authenticate: X"]) }
        let broker = try Self.broker(covering: ["401"]) { _ in
            BrokerOutcome(.headers, reason: .answered, authorizationHeaders: [HeaderField("Authorization", "X y")])
        }
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/")
        request.method = .POST
        let chunks = AsyncStream { continuation in
            continuation.yield(ByteBuffer(string: "once"))
            continuation.finish()
        }
        request.body = .stream(chunks, length: .known(Int64(4)))
        try await execute(request, broker.path) { response, _ in #expect(response.status == .unauthorized) }
        #expect(site.requests.count == 1)
        #expect(broker.requests.isEmpty)
    }

    /// A sequence of bytes that can be read only once.
    private struct Once: Sequence, IteratorProtocol {
        func next() -> UInt8? { nil }
    }

    @Test func `what can be sent again is known of every kind of body`() {
        func canBeSentAgain(_ body: HTTPClientRequest.Body?) -> Bool {
            var request = HTTPClientRequest(url: "http://a.test/")
            request.body = body
            return request.canBeSentAgain
        }
        #expect(canBeSentAgain(nil))
        #expect(canBeSentAgain(.bytes(ByteBuffer(string: "x"))))
        #expect(canBeSentAgain(.bytes([UInt8]("x".utf8))))
        #expect(!canBeSentAgain(.bytes(Once(), length: .known(Int64(1)))))
        #expect(!canBeSentAgain(.stream(AsyncStream<ByteBuffer> { $0.finish() }, length: .unknown)))
    }

    @Test func `an extension's redirection is followed, and its cookies stay with their origin`() async throws {
        let site = try FakeBroker(isSite: true) { request in
            let port = Self.port(request)
            if request.hasPrefix("GET /burger") {
                return request.contains("app=1")
                    ? FakeBroker.page("burger")
                    : FakeBroker.page(
                        "", status: 302, ["Location: http://localhost:\(port)/idp?to=http://127.0.0.1:\(port)"])
            }
            if request.hasPrefix("GET /callback") {
                return FakeBroker.page("", status: 303, ["Location: /burger", "Set-Cookie: app=1; Path=/"])
            }
            return FakeBroker.page("login page")
        }
        let port = site.port
        let broker = try Self.broker(covering: ["idp"]) { message in
            #expect(message.headers?["authorization"] == nil)
            return BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(
                    url: message.url, status: 302,
                    headers: [
                        HeaderField("Location", "http://127.0.0.1:\(port)/callback?code=1"),
                        HeaderField("Set-Cookie", "idp=2; Path=/"),
                    ]))
        }
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/burger")
        request.headers.add(name: "authorization", value: "Bearer own")
        try await execute(request, broker.path) { response, client in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "burger")
            #expect(response.url?.path == "/burger")
            #expect(client.cookies.header(for: URL(string: "http://localhost:\(port)/idp")!) == "idp=2")
            #expect(client.cookies.header(for: URL(string: "http://127.0.0.1:\(port)/")!) == "app=1")
        }
        #expect(Self.paths(site.requests) == ["GET /burger", "GET /callback?code=1", "GET /burger"])
        #expect(Self.headers(site.requests, "cookie") == ["", "", "app=1"])
        #expect(Self.headers(site.requests, "authorization") == ["Bearer own", "", ""])
    }

    @Test func `an extension's form is posted to the site`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("in") }
        let port = site.port
        let broker = try Self.broker(covering: ["idp"]) { message in
            let page = """
                <form method=post action="http://127.0.0.1:\(port)/acs"><input type=hidden name=SAMLResponse value="a b">\
                </form><script>document.forms[0].submit()</script>
                """
            return BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(url: message.url, status: 200, body: Data(page.utf8)))
        }
        try await execute(HTTPClientRequest(url: "http://localhost:\(port)/idp"), broker.path) { response, _ in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "in")
        }
        #expect(Self.paths(site.requests) == ["POST /acs"])
        #expect(Self.headers(site.requests, "origin") == ["http://localhost:\(port)"])
        #expect(site.requests[0].hasSuffix("\r\n\r\nSAMLResponse=a%20b"))
    }

    @Test func `any other answer is handed on as if it came from the URL`() async throws {
        let broker = try Self.broker(covering: ["idp"]) { message in
            BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(
                    url: message.url, status: 200, headers: [HeaderField("Content-Type", "application/json")],
                    body: Data("{}".utf8)))
        }
        try await execute(HTTPClientRequest(url: "http://idp.test/"), broker.path) { response, _ in
            #expect(response.headers.first(name: "content-type") == "application/json")
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "{}")
        }
    }

    @Test(arguments: [BrokerOutcome.Kind.notHandled, .failed, .empty, .headers])
    func `an extension that has no answer is asked once, and the page loads from the web`(
        kind: BrokerOutcome.Kind
    ) async throws {
        let site = try FakeBroker(isSite: true) { request in
            request.contains("seen=1")
                ? FakeBroker.page("page") : FakeBroker.page("", status: 302, ["Location: /idp", "Set-Cookie: seen=1"])
        }
        let broker = try Self.broker(covering: ["idp"]) { _ in BrokerOutcome(kind, reason: .extensionDeclined) }
        try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/idp"), broker.path) { response, _ in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "page")
        }
        #expect(broker.requests.filter { $0.hasPrefix("POST") }.count == 1)
    }

    @Test func `an answer for another origin is none`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("page") }
        let broker = try Self.broker(covering: ["idp"]) { _ in
            BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(
                    url: "http://evil.test/", status: 200, headers: [HeaderField("Set-Cookie", "a=b")]))
        }
        try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/idp"), broker.path) {
            response, client in
            let body = try await String(buffer: response.body.collect(upTo: 100))
            #expect(body == "page")
            #expect(client.cookies.all.isEmpty)
        }
    }

    @Test func `who does not want to sign in does not get the login page instead`() async throws {
        let site = try FakeBroker(isSite: true) { _ in FakeBroker.page("page") }
        let broker = try Self.broker(covering: ["idp"]) { _ in BrokerOutcome(.canceled, reason: .canceledByExtension) }
        await #expect {
            try await execute(HTTPClientRequest(url: "http://127.0.0.1:\(site.port)/idp"), broker.path) { _, _ in }
        } throws: { ($0 as? ASAuthorizationError)?.code == .canceled }
        #expect(site.requests.isEmpty)
    }

    @Test func `an extension that redirects in circles comes to an end`() async throws {
        let broker = try Self.broker(covering: ["idp"]) { message in
            BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(
                    url: message.url, status: 302,
                    headers: [HeaderField("Location", "/idp\(Int.random(in: 0..<Int.max))")]))
        }
        await #expect(throws: HTTPClientError.redirectLimitReached) {
            try await execute(HTTPClientRequest(url: "http://127.0.0.1:1/idp"), broker.path) { _, _ in }
        }
    }

    @Test(arguments: ["app.test", "127.app.test", "127.0.0.1.app.test"])
    func `what the broker gave over TLS does not go on without`(host: String) async throws {
        let broker = try Self.broker(covering: ["id.test"]) { message in
            BrokerOutcome(
                .response, reason: .answered,
                response: WebResponse(
                    url: message.url, status: 302, headers: [HeaderField("Location", "http://\(host)/?code=1")]))
        }
        try await execute(HTTPClientRequest(url: "https://id.test/authorize"), broker.path) { response, _ in
            #expect(response.status == .found)
        }
    }
}
