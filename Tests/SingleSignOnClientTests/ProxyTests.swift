import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SingleSignOnHTTP
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

/// Requests through a proxy that requires authentication: Debian's tinyproxy.
/// docs/specifications/extensible-single-sign-on.md, 18.
@Suite(.enabled(if: Tinyproxy.isInstalled, "tinyproxy-bin is not installed: scripts/bootstrap installs it"))
struct ProxyTests {
    private let broker: FakeBroker
    private let proxy: Tinyproxy
    private let site: FakeBroker

    init() async throws {
        proxy = try await Tinyproxy(user: "mika", password: "ticket")
        site = try FakeBroker(isSite: true) { request in
            request.contains("/asks")
                ? FakeBroker.page("no", status: 407, ["Proxy-Authenticate: Basic realm=x"]) : FakeBroker.page("there")
        }
        broker = try Self.broker("Basic bWlrYTp0aWNrZXQ=")
    }

    /// A broker that answers challenges of proxies only.
    private static func broker(_ answer: String) throws -> FakeBroker {
        let outcome = BrokerOutcome(
            .headers, reason: .answered,
            authorizationHeaders: [HeaderField("Authorization", "no"), HeaderField("Proxy-Authorization", answer)])
        let finished = String(decoding: try JSONEncoder().encode(BrokerEvent.finished(outcome)), as: UTF8.self)
        return try FakeBroker { request in
            guard request.hasPrefix("GET") else { return FakeBroker.json(finished) }
            let isCovered = request.contains("responseCode=407")
            return FakeBroker.json(#"{"isCovered":\#(isCovered),"reason":"answered","explanation":""}"#)
        }
    }

    private func withClient(
        _ broker: FakeBroker?, _ body: (SingleSignOnHTTPClient) async throws -> Void
    ) async throws {
        var brokerClient = BrokerClient(socketPath: broker?.path ?? "/nowhere/sso.sock")
        // So long that no load of the machine makes the broker seem absent.
        brokerClient.patience = .seconds(600)
        let client = SingleSignOnHTTPClient(
            configuration: .init(proxy: .server(host: "127.0.0.1", port: proxy.port)), presentation: .none,
            broker: brokerClient)
        do {
            try await body(client)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(site.port)\(path)" }

    private var asked: [BrokerRequest] {
        broker.requests.filter { $0.hasPrefix("POST") }.compactMap { request in
            let body = request.range(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
            return try? JSONDecoder().decode(BrokerRequest.self, from: Data(body.utf8))
        }
    }

    @Test func `a proxy's challenge is answered once, and to the proxy alone`() async throws {
        try await withClient(broker) { client in
            for path in ["/first", "/second"] {
                let response = try await client.execute(HTTPClientRequest(url: url(path)), timeout: .minutes(10))
                let body = try await String(buffer: response.body.collect(upTo: 100))
                #expect(body == "there")
            }
            var upload = HTTPClientRequest(url: url("/third"))
            upload.method = .POST
            upload.body = .bytes(ByteBuffer(string: "again"))
            let response = try await client.execute(upload, timeout: .minutes(10))
            #expect(response.status == .ok)
        }
        #expect(asked.count == 1)
        #expect(asked.first?.url == "http://127.0.0.1:\(proxy.port)/")
        #expect(asked.first?.responseCode == 407)
        #expect(asked.first?.headers?["proxy-authenticate"]?.hasPrefix("Basic realm=") == true)
        #expect(site.requests.count == 3)
        #expect(site.requests[2].hasSuffix("\r\n\r\nagain"))
        #expect(site.requests.allSatisfy { !$0.lowercased().contains("authorization") })
    }

    @Test func `a body that streams comes through: the proxy has taken nothing of it`() async throws {
        var request = HTTPClientRequest(url: url("/upload"))
        request.method = .POST
        let chunks = AsyncStream { continuation in
            continuation.yield(ByteBuffer(string: "once"))
            continuation.finish()
        }
        request.body = .stream(chunks, length: .known(Int64(4)))
        try await withClient(broker) { client in
            let response = try await client.execute(request, timeout: .minutes(10))
            #expect(response.status == .ok)
        }
        #expect(site.requests.count == 1)
        #expect(site.requests[0].hasSuffix("\r\n\r\nonce"))
    }

    @Test func `what a site behind the proxy asks in the proxy's words gets it nothing`() async throws {
        try await withClient(broker) { client in
            let response = try await client.execute(HTTPClientRequest(url: url("/asks")), timeout: .minutes(10))
            #expect(response.status == .proxyAuthenticationRequired)
        }
        // The proxy's own challenge is the only one that the broker got.
        #expect(asked.count == 1)
        #expect(site.requests.count == 1)
        #expect(!site.requests[0].lowercased().contains("proxy-authorization"))
    }

    /// The arguments are: a wrong password, to which this proxy replies as a server would (401); a scheme that the HTTP
    /// client cannot send to a proxy; and no broker.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("Basic d3Jvbmc6d3Jvbmc=", .invalidProxyResponse), ("Negotiate abc", .proxyAuthenticationRequired),
            (nil, .proxyAuthenticationRequired),
        ] as [(String?, HTTPClientError)])
    func `an answer that does not open the tunnel ends as without single sign-on`(
        answer: String?, error: HTTPClientError
    ) async throws {
        let broker = try answer.map(Self.broker)
        await #expect(throws: error) {
            try await withClient(broker) { client in
                _ = try await client.execute(HTTPClientRequest(url: url("/")), timeout: .minutes(10))
            }
        }
        #expect(site.requests.isEmpty)
        #expect(broker.map { $0.requests.filter { $0.hasPrefix("POST") }.count } ?? 1 == 1)
    }
}

/// A tinyproxy process on a free loopback port that requires a password.
final class Tinyproxy {
    static let program = "/usr/bin/tinyproxy"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let port: Int
    private let process: Process
    private let file: URL

    init(user: String, password: String) async throws {
        // Another process may take the port before the proxy does. Then the proxy exits, and the next port is tried.
        for _ in 0..<5 {
            let port = try FakeBroker.freePort()
            let process = Process()
            let file = URL(fileURLWithPath: "\(NSTemporaryDirectory())/tinyproxy-\(port).conf")
            let text = "Port \(port)\nListen 127.0.0.1\nTimeout 60\nBasicAuth \(user) \(password)\nLogLevel Error\n"
            try Data(text.utf8).write(to: file)
            process.executableURL = URL(fileURLWithPath: Self.program)
            process.arguments = ["-d", "-c", file.path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            while process.isRunning {
                if Self.listens(port) {
                    (self.port, self.process, self.file) = (port, process, file)
                    return
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            try FileManager.default.removeItem(at: file)
        }
        throw POSIXError(.EADDRINUSE)
    }

    deinit {
        // tinyproxy handles any other signal only when the next connection arrives.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: file)
    }

    private static func listens(_ port: Int) -> Bool {
        guard let table = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) else { return false }
        let hex = String(port, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 4 - hex.count) + hex
        return table.contains("0100007F:\(padded) 00000000:0000 0A")
    }
}
