import Fixtures
import Foundation
import NIOHTTP1
import Testing
@testable import ServerHTTP
@testable import TestServers

/// What is answered before the router, and that nobody can tell.
@Suite struct StandingAnswerTests {
    private static let paths = [
        "/healthz", "/auth/keys", "/auth/oauth2/v2/keys", "/oidc/keys", "/.well-known/openid-configuration",
        "/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc",
        "/.well-known/apple-app-site-association", "/lanyard.js", "/lanyard.d.ts",
    ]

    /// The headers of an answer but for those that are others each time.
    private func headers(_ answer: Answer) -> [String] {
        answer.headers.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    @Test("the route of the same path answers alike, to what comes with a query or with a body")
    func asTheRoute() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let style = try #require(
                try await browser.get("/sign-in").body.firstMatch(of: #/href="(\/assets\/[^"]+\.css)"/#)?.1)
            for path in Self.paths + [String(style)] {
                let standing = try await browser.get(path)
                #expect(standing.status == 200 && !standing.body.isEmpty)
                for other in [
                    try await browser.get(path + "?a=b"), try await browser.send(.GET, path, body: "a"),
                ] {
                    #expect(other.status == 200 && other.body == standing.body)
                    #expect(headers(other) == headers(standing), "\(path)")
                }
                let head = try await browser.send(.HEAD, path)
                #expect(head.status == 200 && head.body.isEmpty && headers(head) == headers(standing))
                #expect(Set(headers(standing)).count == Set(standing.headers.map { $0.name.lowercased() }).count - 2)
                #expect(try await browser.send(.POST, path).status == 405)
                guard let tag = standing["ETag"] else {
                    #expect(path == "/healthz")
                    continue
                }
                let known = try await browser.get(path, ["If-None-Match": tag])
                let knownToRoute = try await browser.get(path + "?a=b", ["If-None-Match": tag])
                #expect(known.line == "304 " && knownToRoute.line == "304 ")
                #expect(headers(known) == headers(knownToRoute))
            }
        }
    }

    @Test("each answer has its own id and a line in the log, with the client's address behind a proxy")
    func log() async throws {
        try await TestServer.with(configure: { $0.trustedProxies = ["127.0.0.1"] }) { server in
            let browser = server.browser()
            var ids: Set<String> = []
            for _ in 0..<3 {
                let answer = try await browser.get("/healthz", ["X-Forwarded-For": "10.9.8.7"])
                let id = try #require(answer["X-Request-Id"])
                ids.insert(id)
                let lines = server.log.lines.filter { $0.metadata["hb.request.id"] == id }
                #expect(lines.map { $0.metadata["path"] } == ["/healthz"])
                #expect(lines.map { $0.metadata["address"] } == ["10.9.8.7"])
                #expect(lines.map { $0.metadata["status"] } == ["200"])
                #expect(answer["Strict-Transport-Security"] != nil)
                let date = try #require(answer["Date"])
                #expect(date == DateField.text(of: Int(server.fixed.now.timeIntervalSince1970)))
            }
            #expect(ids.count == 3)
        }
    }

    @Test(
        "a connection that also asks for pages gets its answers in order, and is closed when it wants to",
        .timeLimit(.minutes(1)))
    func mixed() async throws {
        try await TestServer.with { server in
            let paths = ["/healthz", "/readyz", "/healthz", "/healthz", "/nowhere", "/oidc/keys"]
            let requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
            let text = try await RawConnection.exchange(
                requests + "HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port)
            let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { String($0.prefix(3)) } == ["200", "200", "200", "200", "404", "200", "200"])
            #expect(answers.first?.hasSuffix("\r\n\r\nok\n") == true)
            #expect(answers.last?.lowercased().contains("connection: close") == true)
            #expect(answers.last?.hasSuffix("\r\n\r\n") == true)
        }
    }
}
