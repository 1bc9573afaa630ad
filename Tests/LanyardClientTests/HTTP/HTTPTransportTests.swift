import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
@testable import LanyardClient
import NIOCore
import NIOPosix
import Synchronization
import Testing

@Suite struct HTTPTransportTests {
    /// Answers with what it was sent: method, headers of interest and body, line by line.
    private static func echo() -> some ApplicationProtocol {
        let router = Router()
        for method in [HTTPRequest.Method.get, .post] {
            router.on("echo", method: method) { request, context -> Response in
                let body = try await request.body.collect(upTo: 1 << 16)
                let lines = [
                    request.method.rawValue, request.headers[.authorization] ?? "-", request.headers[.accept] ?? "-",
                    request.headers[.contentType] ?? "-", String(buffer: body),
                ]
                return Response(
                    status: .tooManyRequests,
                    headers: [HTTPField.Name("X-Retry-After")!: "3", HTTPField.Name("X-Request-ID")!: "q1"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: lines.joined(separator: "\n"))))
            }
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
    }

    private func send(_ request: @Sendable (String) -> WireRequest) async throws -> WireResponse {
        try await Self.echo().test(.live) { server in
            try await HTTPClient.shared.transport(timeout: .seconds(5))(request("http://127.0.0.1:\(server.port!)"))
        }
    }

    @Test("a read is a GET with a bearer token, and its answer comes back with headers in lower case")
    func get() async throws {
        let response = try await send { WireRequest(.get, "\($0)/echo", accessToken: "a0") }
        #expect(String(decoding: response.body, as: UTF8.self) == "GET\nBearer a0\napplication/json\n-\n")
        #expect(response.status == 429)
        #expect(response.retryAfter == .seconds(3))
        #expect(response.requestID == "q1")
    }

    @Test("a form is a POST without a bearer token")
    func post() async throws {
        let response = try await send { WireRequest(.post(form: "a=%20b"), "\($0)/echo") }
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == "POST\n-\napplication/json\napplication/x-www-form-urlencoded\na=%20b")
    }

    /// A server that sends everybody on to another place, and counts who goes there.
    @Test("nothing secret follows a redirect, by whichever client", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let visits = Mutex<[String]>([])
        let router = Router()
        router.on("token", method: .post) { _, _ in
            Response(status: .init(code: status), headers: [.location: "/elsewhere"])
        }
        router.on("roster", method: .get) { request, _ in
            let port = request.head.authority?.split(separator: ":").last ?? ""
            return Response(
                status: .init(code: status), headers: [.location: "http://localhost:\(port)/elsewhere"])
        }
        for method in [HTTPRequest.Method.get, .post] {
            router.on("elsewhere", method: method) { request, _ in
                let body = try await request.body.collect(upTo: 1 << 16)
                visits.withLock { $0.append((request.headers[.authorization] ?? "") + String(buffer: body)) }
                return "ok"
            }
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
        try await application.test(.live) { server in
            let url = "http://127.0.0.1:\(server.port!)"
            for client in [HTTPClient.withoutRedirects, .shared] {
                let transport = client.transport(timeout: .seconds(5))
                _ = try await transport(WireRequest(.post(form: "client_secret=s3cret"), url + "/token"))
                _ = try await transport(WireRequest(.get, url + "/roster", accessToken: "s3cret"))
            }
            let answer = try await HTTPClient.withoutRedirects.transport(timeout: .seconds(5))(
                WireRequest(.post(form: "client_secret=s3cret"), url + "/token"))
            #expect(answer.status == status)
        }
        #expect(visits.withLock { $0 }.allSatisfy { !$0.contains("s3cret") })
    }

    /// A server that accepts connections and answers the first bytes of a request with this text.
    private func withServer(
        saying text: String,
        _ test: (_ url: String) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Recital(text))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        try await test("http://127.0.0.1:\(port)/")
        try await server.close()
    }

    /// Says its text once.
    private final class Recital: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private var text: String?

        init(_ text: String) {
            self.text = text
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let text else { return }
            self.text = nil
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }

    private static let halfAnAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"users\":"

    private static func isTransportFailure(_ error: any Error) -> Bool {
        guard case .transport = error as? LanyardClientError else { return false }
        return true
    }

    @Test(
        "no answer in time is a failure of the transport, and so is half an answer",
        .timeLimit(.minutes(1)), arguments: ["", halfAnAnswer])
    func timeout(said text: String) async throws {
        try await withServer(saying: text) { url in
            await #expect {
                try await HTTPClient.shared.transport(timeout: .milliseconds(50))(WireRequest(.get, url))
            } throws: {
                Self.isTransportFailure($0)
            }
        }
    }

    @Test("no server at all is a failure of the transport")
    func noServer() async throws {
        await #expect {
            try await HTTPClient.shared.transport(timeout: .milliseconds(50))(WireRequest(.get, "http://127.0.0.1:1/"))
        } throws: {
            Self.isTransportFailure($0)
        }
    }

    @Test("a cancelled call says that it was cancelled")
    func cancellation() async throws {
        try await withServer(saying: "") { url in
            let task = Task {
                try await HTTPClient.shared.transport(timeout: .seconds(5))(WireRequest(.get, url))
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
