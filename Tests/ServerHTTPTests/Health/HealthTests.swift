import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import Synchronization
import Testing
import TestSupport
@testable import ServerHTTP
@testable import TestServers

@Suite struct HealthTests {
    @Test("/healthz and /readyz answer; without a database only the former", arguments: TestDatabase.available)
    func health(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let browser = server.browser()
            #expect(try await browser.get("/healthz").line == "200 ok\n")
            #expect(try await browser.get("/readyz").line == "200 ready\n")
            #expect(browser.cookies.isEmpty)
            let tokens = try await server.connect()
            await server.database.close()
            #expect(try await browser.get("/healthz").status == 200)
            // The result of one attempt to write is used for some seconds, for all callers.
            #expect(try await browser.get("/readyz").status == 200)
            server.fixed.advance(by: Readiness.interval)
            #expect(try await browser.get("/readyz").status == 503)
            let answer = try await server.roster("/users", tokens)
            #expect(answer.status == 503)
            // A token that this server has not sealed is refused without the database.
            #expect(try await server.roster("/users", bearer: "x").status == 401)
            #expect(Set(answer.json.keys) == ["error", "message", "requestId"])
            // The sign-in page reads the organization from the database, too.
            #expect(try await browser.get("/").status == 503)
            #expect(
                try await server.token(server.quizzler, ["grant_type": "x"]).line
                    == #"503 {"error":"temporarily_unavailable"}"#)
        }
    }

    @Test("without a database every surface says when to come again, in its own words")
    func unavailable() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let browser = server.browser()
            let page = try await browser.get("/sign-in")
            await server.database.close()
            let roster = try await server.roster("/users", tokens)
            #expect(roster.error == "temporarily_unavailable")
            let authorize = try await browser.get(server.authorizePath(server.quizzler))
            let form = try await server.signIn("ada@maple.example", on: page, in: browser)
            for (language, sentence) in [
                ("en", "Try again in a moment"), ("ja", "しばらくしてから、もう一度お試しください"),
                ("ko", "잠시 후 다시 시도하십시오"),
            ] {
                let told = try await server.browser().get(
                    server.authorizePath(server.quizzler), ["Accept-Language": language])
                #expect(told.body.contains(sentence), "\(language)")
            }
            let device = try await browser.send(
                .POST, "/device-session", ["Content-Type": "application/x-www-form-urlencoded"], body: "assertion=x")
            for answer in [roster, authorize, form, try await server.token(server.quizzler, ["grant_type": "x"])] {
                #expect(answer.status == 503, "\(answer.path)")
                #expect(answer["Retry-After"] == "10", "\(answer.path)")
            }
            #expect(device.status != 500)
        }
    }

    @Test("database trouble that may pass is 503, whatever it is; what is our fault stays 500")
    func passing() {
        let passing: [DatabaseError] = [
            .full("x"), .busy("x"), .notSerializable("x"), .crowded("x"), .unavailable("x"), .closed,
        ]
        let lasting: [DatabaseError] = [
            .uniqueViolation("x"), .foreignKeyViolation("x"), .constraintViolation("x"),
            .newerSchema(found: 2, known: 1), .unexpectedValue("x"), .other(code: "1", message: "x"),
        ]
        #expect(passing.map(\.mayPass) == passing.map { _ in true })
        #expect(lasting.map(\.mayPass) == lasting.map { _ in false })
    }

    @Test("a graceful shutdown finishes the request that is open")
    func shutdown() async throws {
        try await TestServer.with { server in
            let secret = try server.quizzler.secret(at: server.fixed.now)
            let body = Browser.encode([
                ("client_id", "com.quizzler"), ("client_secret", secret), ("grant_type", "refresh_token"),
                ("refresh_token", "r"),
            ])
            let answer = try await RawConnection.with(port: server.port) { connection in
                // In one piece: when the first request is answered, the server has read the begin of the second as
                // well.
                try await connection.send(
                    """
                    GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n\
                    POST /auth/oauth2/v2/token HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\n\r\n\(body.prefix(40))
                    """)
                #expect(try await connection.read(through: "ok\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
                await server.stop()
                // It shuts down when it listens no more.
                while (try? await RawConnection.with(port: server.port, { _ in })) != nil {}
                try await connection.send(String(body.dropFirst(40)))
                return try await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(answer.hasSuffix(#"{"error":"invalid_grant"}"#))
        }
    }

    @Test("tokens, sessions and page tokens outlive a restart on the same database", arguments: TestDatabase.available)
    func restart(_ kind: TestDatabase) async throws {
        try await Gate.servers.admit {
            try await kind.with { database in
                let scene = try await Scene.insert(in: database)
                let kept = Mutex<(Tokens, String, [String: String], String)?>(nil)
                try await TestServer.run(scene) { server in
                    let tokens = try await server.connect()
                    let browser = server.browser()
                    try await server.signIn("ada@maple.example", in: browser)
                    let page = try await server.roster("/users?limit=1", tokens).json["nextPageToken"] as? String
                    let keys = try await browser.get("/auth/oauth2/v2/keys").body
                    let next = try #require(page)
                    kept.withLock { $0 = (tokens, next, browser.cookies, keys) }
                }
                let (tokens, page, cookies, keys) = try #require(kept.withLock { $0 })
                try await TestServer.run(scene) { server in
                    let second = try await server.roster("/users?pageToken=\(page)", tokens)
                    let refreshed = try await server.refresh(tokens.refresh, server.quizzler)
                    let browser = server.browser()
                    browser.cookies = cookies
                    let home = try await browser.get("/account")
                    let sameKeys = try await browser.get("/auth/oauth2/v2/keys")
                    #expect(second.status == 200)
                    #expect(refreshed.status == 200)
                    #expect(home.body.contains("Ada Admin"))
                    #expect(sameKeys.body == keys)
                }
            }
        }
    }
}
