import Directory
import Fixtures
import Foundation
import NIOHTTP1
import ServerHTTP
import Testing

@testable import TestServers

/// What every kind of answer has in common.
@Suite struct SurfaceTests {
    @Test("every kind of answer carries the security headers and a request id")
    func headers() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            let style = try #require(page.body.firstMatch(of: #/href="(/[^"]*\.css)"/#)).1
            let answers = [
                page, try await browser.get(String(style)), try await browser.get("/nowhere"),
                try await browser.get("/healthz"), try await browser.get("/auth/oauth2/v2/keys"),
                try await browser.get(server.authorizePath(server.quizzler)),
                try await browser.get("/auth/oauth2/v2/authorize"), try await server.token(server.quizzler, [:]),
                try await server.revoke("x", server.quizzler), try await server.roster("/users", tokens),
                try await server.roster("/users", bearer: "x"), try await browser.post("/sign-in", [:]),
                try await browser.get("/connect/x"), try await browser.get("/invitation/x"),
            ]
            for answer in answers {
                #expect(answer["X-Content-Type-Options"] == "nosniff", "\(answer.path)")
                #expect(answer["Referrer-Policy"] == "same-origin")
                #expect(answer["X-Frame-Options"] == "DENY")
                // The keys are for every page.
                let isPublic = answer.path == "/auth/oauth2/v2/keys"
                #expect(answer["Cross-Origin-Resource-Policy"] == (isPublic ? "cross-origin" : "same-origin"))
                #expect(answer.headers["Cross-Origin-Opener-Policy"].count == 1)
                #expect(answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains")
                #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'none'; ") == true)
                #expect(answer["Content-Security-Policy"]?.contains("unsafe") == false)
                #expect(answer["Cache-Control"] != nil)
                #expect(answer["X-Request-Id"]?.isEmpty == false)
                #expect(answer.headers["X-Request-Id"].count == 1)
            }
            #expect(Set(answers.map { $0["X-Request-Id"] }).count == answers.count)
        }
    }

    @Test("whatever may lie on the way through a sign-in keeps the window that opened it; the rest is isolated")
    func openerPolicy() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let browser = server.browser()
            let signIn = try await browser.get("/sign-in")
            let parked = try await browser.get(server.authorizePath(server.quizzler))
            let signedIn = try await server.signIn("ada@maple.example", on: signIn, in: browser)
            let onTheWay = [
                signIn, parked, signedIn, try await browser.get(parked.location), try await browser.get("/connect/x"),
                try await browser.get("/auth/oauth2/v2/authorize"), try await browser.post("/sign-in", [:]),
                try await browser.get("/language"),
            ]
            for answer in onTheWay {
                #expect(answer["Cross-Origin-Opener-Policy"] == "unsafe-none", "\(answer.path)")
            }
            let apart = [
                try await browser.get("/manager"), try await browser.get("/healthz"),
                try await browser.get("/auth/oauth2/v2/keys"), try await server.token(server.quizzler, [:]),
                try await server.roster("/users", tokens),
            ]
            for answer in apart {
                #expect(answer["Cross-Origin-Opener-Policy"] == "same-origin", "\(answer.path)")
            }
        }
    }

    @Test("cookies are bound to the host and hidden from scripts; on plain loopback they have another name")
    func cookies() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            let signedIn = try await server.signIn("ada@maple.example", on: page, in: browser)
            let all = page.cookies + signedIn.cookies
            // The browser's own, the session's, and that this browser is known to the account.
            #expect(all.count == 3)
            for cookie in all {
                #expect(cookie.hasPrefix("__Host-lanyard-"))
                for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
                    #expect(cookie.contains(attribute))
                }
                #expect(!cookie.contains("Domain"))
            }
            #expect(signedIn.cookies[0].contains("Max-Age=43200"))
        }
        try await TestServer.with(configure: { $0.baseURL = "http://localhost:8080" }) { server in
            let page = try await server.browser().get("/sign-in")
            #expect(page.cookies.first?.hasPrefix("lanyard-browser=") == true)
            #expect(page.cookies.first?.contains("Secure") == false)
            #expect(page["Strict-Transport-Security"] == nil)
        }
    }

    @Test(
        "a path with a slash too many is not found, in the words of its surface, and keeps its secrets")
    func slashes() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            for path in ["//rosterapi/v1/users", "/rosterapi//v1/users", "/rosterapi/v1/users/"] {
                let roster = try await browser.get(path)
                #expect(roster.status == 404 && roster.error == "not_found", "\(path)")
            }
            for path in ["//auth/oauth2/v2/token", "/auth/token/", "/oidc//token"] {
                let token = try await browser.post(path, [:])
                #expect(token.status == 404 && token.error == "invalid_request", "\(path)")
            }
            for path in ["//account", "/account/", "//auth/authorize", "/sign-in//", "//evil.example/account"] {
                let page = try await browser.get(path)
                #expect(page.status == 404 && page["Location"] == nil, "\(path)")
                #expect(page["Content-Type"] == "text/html; charset=utf-8")
            }
            _ = try await browser.get("//invitation/s3cret")
            _ = try await browser.get("/connect//s3cret")
            let paths = server.log.lines.compactMap { $0.metadata["path"] }
            #expect(paths.suffix(2) == ["/invitation/…", "/connect/…"])
        }
    }

    @Test("every path says which methods it has to whoever uses another one")
    func otherMethods() async throws {
        let allowed = [
            "/": "GET, HEAD", "/healthz": "GET, HEAD", "/sign-in": "GET, HEAD, POST", "/sign-out": "GET, HEAD, POST",
            "/oidc/token": "POST", "/oidc/userinfo": "GET, HEAD, POST", "/auth/keys": "GET, HEAD",
            "/rosterapi/v1/users/1": "GET, HEAD", "/device-session": "POST", "/connect/x": "GET, HEAD, POST",
        ]
        try await TestServer.with { server in
            for (path, methods) in allowed {
                for method in ["OPTIONS", "DELETE", "PUT", "TRACE"] {
                    let answer = try await server.browser().send(.init(rawValue: method), path)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer["Allow"] == methods, "\(method) \(path)")
                }
            }
            for path in ["/nowhere", "/rosterapi/v1/nothing", "/oidc/nothing"] {
                #expect(try await server.browser().send(.OPTIONS, path).status == 404, "\(path)")
            }
        }
    }

    @Test("what a person can do nothing about is not laid at an app's door")
    func unreadable() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            let form = try #require(page.form("/sign-in"))
            let answers = [
                try await browser.get("/sign-in?continue=%ff"),
                try await browser.submit(form, ["username": "a\0b", "password": "x"]),
            ]
            #expect(answers.map(\.status) == [400, 400])
            for answer in answers {
                #expect(!answer.body.contains("This app"), "\(answer.path)")
            }
            #expect(answers[0].body.contains("This could not be read"))
            let byApp = try await browser.get("/auth/oauth2/v2/authorize?client_id=%ff")
            #expect(byApp.body.contains("This app"))
        }
    }

    @Test("an unknown path is a page for people, and its request id is the header's")
    func unknownPath() async throws {
        try await TestServer.with { server in
            for path in ["/nowhere", "/connect", "/invitation", "/.env", "/rosterapi", "/%00", "/a%2f..%2fb"] {
                let answer = try await server.browser().get(path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer["Content-Type"] == "text/html; charset=utf-8")
                #expect(answer.body.contains(try #require(answer["X-Request-Id"])))
            }
        }
    }

    @Test("HEAD of a page has its headers and no body")
    func head() async throws {
        try await TestServer.with { server in
            for path in ["/", "/sign-in", "/healthz", "/auth/oauth2/v2/keys"] {
                let head = try await server.browser().send(.HEAD, path)
                #expect(head.line == "200 ")
                #expect(Int(head["Content-Length"] ?? "") ?? 0 > 0)
            }
        }
    }

    @Test(
        "HEAD of what is refused has no body either, and the connection goes on",
        arguments: [
            "/nowhere", "/sign-in/", "/auth/token", "/manager/people", "/manager/nowhere", "/rosterapi/v1/users",
            "/api/v1/people", "/api/v1/nowhere", "/oidc/nowhere",
        ])
    func refusedHead(_ path: String) async throws {
        try await TestServer.with { server in
            let answers = try await RawConnection.exchange(
                """
                HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n\
                HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n
                """, port: server.port)
            let heads = answers.components(separatedBy: "\r\n\r\n")
            #expect(heads.count == 3 && heads.last == "", "\(answers)")
            #expect(heads.first?.hasPrefix("HTTP/1.1 200") == false)
            #expect(heads.dropFirst().first?.hasPrefix("HTTP/1.1 200") == true)
        }
    }

    @Test("the log has one line a request, with the secrets in paths cut")
    func requestLog() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let answer = try await browser.get(server.authorizePath(server.quizzler))
            try await browser.get(answer.location)
            try await browser.get("/invitation/sesame")
            let lines = server.log.lines.filter { $0.message == "request" }
            #expect(lines.map { $0.metadata["path"] } == ["/auth/oauth2/v2/authorize", "/connect/…", "/invitation/…"])
            #expect(lines.map { $0.metadata["status"] } == ["302", "200", "410"])
            #expect(lines.allSatisfy { $0.metadata["address"] == "127.0.0.1" && $0.metadata["hb.request.id"] != nil })
            let secret = answer.location.dropFirst("/connect/".count)
            #expect(!server.log.lines.contains { "\($0.metadata)".contains(secret) })
            for path in ["/continue/s3cret", "/verify-email/s3cret/again", "/forgot-password/s3cret"] {
                _ = try await browser.get(path)
            }
            #expect(!server.log.lines.contains { "\($0.metadata)".contains("s3cret") })
        }
    }

    @Test("headers that are too large are refused before anything is read")
    func largeHeaders() async throws {
        try await TestServer.with { server in
            let request = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n"
            let answer = try await RawConnection.exchange(request, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 4"))
        }
    }
}
