import Foundation
import NIOHTTP1
import Testing

@testable import TestServers

/// The script that pages of apps load.
@Suite struct BrowserSDKRoutesTests {
    private static let compatible = "/appleauth/static/jsapi/appleid/1/en_US/appleid.auth.js"

    @Test("script and types are for pages of every site, and kept for an hour")
    func headers() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let types = [
                Self.compatible: "text/javascript; charset=utf-8", "/lanyard.js": "text/javascript; charset=utf-8",
                "/lanyard.d.ts": "application/typescript; charset=utf-8",
            ]
            for (path, type) in types {
                let answer = try await browser.get(path)
                #expect(answer.status == 200)
                #expect(answer["Content-Type"] == type)
                #expect(answer["Cache-Control"] == "public, max-age=3600")
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                #expect(answer.headers["Cross-Origin-Resource-Policy"] == ["cross-origin"])
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(answer.cookies == [])
            }
        }
    }

    @Test("every locale is answered with the same script, which is whole and light")
    func script() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let script = try await browser.get("/lanyard.js").body
            for locale in ["en_US", "ja_JP", "ko_KR", "pt_BR"] {
                let path = "/appleauth/static/jsapi/appleid/1/\(locale)/appleid.auth.js"
                #expect(try await browser.get(path).body == script)
            }
            #expect(!script.contains("{parts}"))
            for part in ["renderButton(override)", "popup_closed_by_user", "function drawButton", "Lanyard로 로그인"] {
                #expect(script.contains(part))
            }
            #expect(script.utf8.count < 21_000)
        }
    }

    @Test("who has the script is told so, and nobody else")
    func revalidation() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let tag = try #require(try await browser.get("/lanyard.js")["ETag"])
            let other = try #require(try await browser.get("/lanyard.d.ts")["ETag"])
            #expect(tag != other)
            for known in [tag, "W/\(tag)", "\"a\", \(tag)", "*"] {
                let answer = try await browser.get(Self.compatible, ["If-None-Match": known])
                #expect(answer.line == "304 ")
                #expect(answer["ETag"] == tag)
                #expect(answer["Cache-Control"] == "public, max-age=3600")
                #expect(answer["Access-Control-Allow-Origin"] == "*")
            }
            for unknown in [other, String(tag.dropFirst().dropLast()), "\"a\"", ""] {
                #expect(try await browser.get(Self.compatible, ["If-None-Match": unknown]).status == 200)
            }
        }
    }

    @Test("only these addresses are the script's")
    func otherPaths() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            for path in ["/appleauth/static/jsapi/appleid/1/appleid.auth.js", "\(Self.compatible)/x", "/lanyard.ts"] {
                #expect(try await browser.get(path).status == 404, "\(path)")
            }
            let head = try await browser.send(.HEAD, Self.compatible)
            #expect(head.line == "200 ")
            #expect(try await browser.post("/lanyard.js", [:]).status == 405)
        }
    }
}
