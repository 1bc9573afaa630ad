import HTTPTypes
import Hummingbird
import NIOCore
import Testing
@testable import ServerHTTP

/// Documents that are the same for everybody.
@Suite struct PublicDocumentTests {
    @Test("a document is encoded when what it tells has changed, and not with each request")
    func encodedOnce() throws {
        let document = PublicDocument()
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"), body: .init(buffer: .init()))
        var times = 0
        func ask(_ version: [String]) throws -> String? {
            try document.response(to: request, version: version) {
                times += 1
                return version
            }.headers[.eTag]
        }
        let first = try ask(["a"])
        for _ in 0..<9 { #expect(try ask(["a"]) == first) }
        #expect(times == 1)
        let second = try ask(["a", "b"])
        #expect(second != first && times == 2)
        #expect(try ask(["a", "b"]) == second && times == 2)
    }

    @Test("keys and discovery have an entity tag, and are not sent again to whoever has them")
    func entityTags() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            for path in [
                "/auth/keys", "/auth/oauth2/v2/keys", "/oidc/keys", "/.well-known/openid-configuration",
                "/oidc/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/oidc",
            ] {
                let answer = try await browser.get(path)
                #expect(answer["Content-Type"] == "application/json;charset=UTF-8", "\(path)")
                #expect(answer["Cache-Control"] == "public, max-age=900" && answer["Pragma"] == nil)
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                let tag = try #require(answer["ETag"])
                #expect(try await browser.get(path, ["If-None-Match": tag]).line == "304 ")
                #expect(try await browser.get(path, ["If-None-Match": "\"x\""]).line == answer.line)
            }
        }
    }
}
