import Authorization
import Directory
import Fixtures
import Foundation
import HTTPTypes
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What the server of an app is told when a person signs out. OpenID Connect Back-Channel Logout 1.0.
@Suite struct BackChannelLogoutTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Runs `body` with a server, an app that is told of logouts, and the receiver at the app's address.
    private func with(
        on kind: TestDatabase = .sqlite, needsSession: Bool = false,
        _ body: @escaping @Sendable (TestServer, StandardClient, Receiver) async throws -> Void
    ) async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(on: kind) { server in
                let client = try await StandardClient.secret(on: server)
                let (app, url) = (server.quizzler.app, receiver.url)
                try await server.database.write { transaction in
                    try app.put(backChannelLogoutURL: url, in: transaction)
                    try app.put(logoutNeedsSession: needsSession, in: transaction)
                }
                try await body(server, client, receiver)
            }
        }
    }

    /// Waits for `count` tokens, which may arrive in any order.
    private func tokens(_ count: Int, at receiver: Receiver, from server: TestServer) async throws -> [SignedToken] {
        let deliveries = try await receiver.wait(for: count)
        #expect(deliveries.count == count)
        let keys = try await server.browser().get("/oidc/keys")
        var tokens: [SignedToken] = []
        for delivery in deliveries {
            #expect(delivery.contentType == "application/x-www-form-urlencoded")
            let token = try #require(delivery.body.wholeMatch(of: /logout_token=([A-Za-z0-9_.-]+)/)?.1)
            tokens.append(try await SignedToken.verify(String(token), with: keys))
        }
        return tokens
    }

    private func claims(_ token: String, on server: TestServer) async throws -> [String: Any] {
        try await SignedToken.verify(token, with: try await server.browser().get("/oidc/keys")).claims
    }

    @Test("signing out posts one logout token for each client of the session, whole", arguments: TestDatabase.available)
    func signOut(_ kind: TestDatabase) async throws {
        try await with(on: kind) { server, client, receiver in
            let (browser, other) = (server.browser(), server.browser())
            let nadia = server.maple.nadia
            let identity = try await claims(client.tokens(as: nadia, in: browser).identity, on: server)
            let elsewhere = try await claims(client.tokens(as: nadia, in: other).identity, on: server)
            let (sid, sub) = (try #require(identity["sid"] as? String), try #require(identity["sub"] as? String))
            #expect(sid.utf8.count == 22)
            #expect(elsewhere["sid"] as? String != sid)
            server.fixed.advance(by: 60)
            try await browser.submit(browser.get("/account").form("/sign-out"))
            let token = try #require(try await tokens(1, at: receiver, from: server).first)
            let now = Int(server.fixed.now.timeIntervalSince1970)
            #expect(token.header["typ"] as? String == "logout+jwt")
            #expect(token.header["alg"] as? String == "RS256")
            let jti = try #require(token.claims["jti"] as? String)
            #expect(
                canonical(token.claims)
                    == canonical(
                        [
                            "iss": "\(TestServer.baseURL)/oidc", "aud": "com.quizzler", "sub": sub, "sid": sid,
                            "iat": now, "exp": now + 120, "jti": jti, "events": [Self.event: [String: String]()],
                        ] as [String: Any]))
            // The other browser goes on, and signs out by its app.
            let hint = try await client.tokens(as: nadia, in: other).identity
            #expect(try await other.get("/oidc/logout?id_token_hint=\(hint)").location == "/signed-out")
            let both = try await tokens(2, at: receiver, from: server)
            #expect(Set(both.map { $0.claims["sid"] as? String }) == [sid, elsewhere["sid"] as? String])
            #expect(try await server.count("client_session") == 0)
        }
    }

    @Test("sid stays through refreshes and another sign-in of the same person, and is another for each client")
    func sid() async throws {
        try await with { server, client, receiver in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let first = try await client.tokens(as: nadia, scope: "openid offline_access", in: browser)
            let sid = try await claims(first.identity, on: server)["sid"] as? String
            #expect(sid != nil)
            let refreshed = try TestServer.tokens(try await client.refresh(first.refresh))
            #expect(try await claims(refreshed.identity, on: server)["sid"] as? String == sid)
            server.fixed.advance(by: 10)
            let again = try await client.tokens(as: nadia, ["prompt": "login"], in: browser)
            #expect(try await claims(again.identity, on: server)["sid"] as? String == sid)
            let secret = try await server.makeSecret(of: Scene.groupedClientID)
            let grouped = StandardClient(server: server, app: server.grouped(), secret: secret)
            let second = try await grouped.tokens(as: nadia, in: browser)
            #expect(try await claims(second.identity, on: server)["sid"] as? String != sid)
            // Nobody was told that the session had ended, which it had not.
            try await browser.submit(browser.get("/account").form("/sign-out"))
            let told = try await tokens(2, at: receiver, from: server)
            #expect(Set(told.map { $0.claims["aud"] as? String }) == ["com.quizzler", Scene.groupedClientID])
            // A sign-in on a device has no session, and neither has one in the compatible profile.
            let device = try await client.startDevice()
            try await client.approve(device, as: nadia)
            let polled = try TestServer.tokens(try await client.poll(device))
            #expect(try await claims(polled.identity, on: server)["sid"] == nil)
            #expect(try await server.verified(server.tokens(as: nadia).identity).claims["sid"] == nil)
        }
    }

    @Test("however a session ends before its time, the app hears of it", arguments: TestDatabase.available)
    func everyEnd(_ kind: TestDatabase) async throws {
        try await with(on: kind) { server, client, receiver in
            let nadia = server.maple.nadia
            var count = 0
            func hears(_ what: String, _ end: (Browser) async throws -> Void) async throws {
                let browser = server.browser()
                let sid = try await claims(client.tokens(as: nadia, in: browser).identity, on: server)["sid"] as? String
                try await end(browser)
                count += 1
                let told = try await tokens(count, at: receiver, from: server)
                #expect(told.contains { $0.claims["sid"] as? String == sid && sid != nil }, "\(what)")
            }
            try await hears("another browser's sign-out") { browser in
                let other = server.browser()
                try await server.signIn(nadia.userName, in: other)
                let session = try #require(other.cookies["__Host-lanyard-session"])
                let now = server.fixed.now
                let own = try #require(
                    try await server.database.read { try BrowserSession.find(token: session, at: now, in: $0) })
                try await OpenSessions(database: server.database, surroundings: server.fixed.surroundings)
                    .endOthers(in: own, origin: .system)
            }
            try await hears("a new password") { _ in
                let hash = try await PasswordHasher(cost: .low, surroundings: server.fixed.surroundings)
                    .hash(District.password)
                let now = server.fixed.now
                try await server.database.write {
                    try Credential.put(hash, temporaryUntil: nil, for: nadia.id, at: now, in: $0)
                }
            }
            server.fixed.advance(by: 1)
            try await hears("somebody else in the same browser") { browser in
                let page = try await browser.follow(browser.get(client.path(["prompt": "login"])))
                _ = try await server.signIn(server.maple.ben.userName, on: page, in: browser)
            }
            try await hears("a deactivation") { _ in
                let now = server.fixed.now
                try await server.database.write { _ = try nadia.deactivate(at: now, in: $0) }
            }
        }
    }

    @Test(
        "whoever signs out where nobody has been for hours is signed out of apps, too",
        arguments: ["/oidc/logout", "/sign-out"])
    func idle(_ path: String) async throws {
        try await with { server, client, receiver in
            let browser = server.browser()
            let identity = try await client.tokens(as: server.maple.nadia, in: browser).identity
            let sid = try await claims(identity, on: server)["sid"] as? String
            let form = try #require(try await browser.get("/account").form("/sign-out"))
            server.fixed.advance(by: BrowserSession.idle + 60)
            if path == "/sign-out" {
                try await browser.submit(form)
            } else {
                // Without an identity token nothing ends, because any page could lead the browser there.
                #expect(try await browser.get(path).location == "/signed-out")
                #expect(try await server.count("browser_session") == 1)
                #expect(try await browser.get("\(path)?id_token_hint=\(identity)").location == "/signed-out")
            }
            #expect(browser.cookies["__Host-lanyard-session"] == nil)
            #expect(try await server.count("browser_session") == 0)
            let told = try await tokens(1, at: receiver, from: server)
            #expect(told.map { $0.claims["sid"] as? String } == [sid] && sid != nil)
            let entries = try await server.audit(of: server.maple.organization.id)
            #expect(entries.last == "sign-out done")
        }
    }

    @Test(
        "a session that was ended while nobody could deliver ends elsewhere too, hours after its own time"
    )
    func deliveredLate() async throws {
        try await with { server, client, receiver in
            let browser = server.browser()
            _ = try await client.tokens(as: server.maple.nadia, in: browser)
            let id = server.maple.nadia.id
            // No server runs: the command line has ended it, and time goes by.
            try await server.database.write { try $0.execute("DELETE FROM browser_session WHERE person_id = $1", [id]) }
            server.fixed.advance(by: BrowserSession.lifetime + 60)
            #expect(try await tokens(1, at: receiver, from: server).count == 1)
        }
    }

    @Test("a session that is over by its time ends nothing elsewhere")
    func expired() async throws {
        try await with { server, client, receiver in
            let browser = server.browser()
            _ = try await client.tokens(as: server.maple.nadia, in: browser)
            server.fixed.advance(by: BrowserSession.lifetime + 1)
            // Clears away what is over.
            try await server.signIn(server.maple.ben.userName, in: server.browser())
            let last = server.browser()
            _ = try await client.tokens(as: server.maple.ben, in: last)
            try await last.submit(last.get("/account").form("/sign-out"))
            let told = try await tokens(1, at: receiver, from: server)
            #expect(told.count == 1)
            #expect(try await server.count("ended_session") == 0)
            // It is remembered for the day on which the person stops using the app.
            #expect(try await server.count("client_session") == 1)
            try await server.stopUsing(server.maple.nadia)
            #expect(try await tokens(2, at: receiver, from: server).last?.claims["sid"] is String)
        }
    }

    @Test(
        "who stops, or is kept out, is signed out of every session that is known, else as a person",
        arguments: TestDatabase.available)
    func stops(_ kind: TestDatabase) async throws {
        try await with(on: kind) { server, client, receiver in
            let (nadia, ben) = (server.maple.nadia, server.maple.ben)
            var sids: Set<String?> = []
            for _ in 0..<2 {
                sids.insert(try await claims(client.tokens(as: nadia).identity, on: server)["sid"] as? String)
            }
            try await server.stopUsing(nadia)
            #expect(Set(try await tokens(2, at: receiver, from: server).map { $0.claims["sid"] as? String }) == sids)
            // A device's sign-in belongs to no session.
            let device = try await client.startDevice()
            try await client.approve(device, as: ben)
            let identity = try TestServer.tokens(try await client.poll(device)).identity
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let told = try await tokens(4, at: receiver, from: server).suffix(2)
            let sub = try await claims(identity, on: server)["sub"] as? String
            for token in told {
                #expect(token.claims["sid"] == nil)
                #expect(token.claims["sub"] as? String == sub)
            }
            #expect(Set(told.map { $0.claims["aud"] as? String }) == ["com.quizzler", Scene.groupedClientID])
        }
    }

    @Test("an app that wants sessions hears of no person alone, and one without an address of nothing")
    func sessionRequired() async throws {
        try await with(needsSession: true) { server, client, receiver in
            let device = try await client.startDevice()
            try await client.approve(device, as: server.maple.ben)
            _ = try await client.poll(device)
            try await server.stopUsing(server.maple.ben)
            #expect(try await server.count("notification") == 0)
            let browser = server.browser()
            _ = try await client.tokens(as: server.maple.nadia, in: browser)
            let app = server.quizzler.app
            try await server.database.write { try app.put(backChannelLogoutURL: nil, in: $0) }
            try await server.stopUsing(server.maple.nadia)
            #expect(try await server.count("notification") == 0)
            #expect(receiver.received.isEmpty)
        }
    }

    @Test("a code that is on its way when the person signs out is worth nothing")
    func codes() async throws {
        try await with { server, client, _ in
            let browser = server.browser()
            let code = try await server.fields(client.path(), as: server.maple.nadia, in: browser)["code"] ?? ""
            try await browser.submit(browser.get("/account").form("/sign-out"))
            #expect(try await client.redeem(code).error == "invalid_grant")
        }
    }

    @Test("what does not arrive comes again with another jti, goes nowhere else, and is signed as the client wants")
    func retries() async throws {
        try await with { server, client, receiver in
            try await server.database.write {
                try Client.find("com.quizzler", in: $0)?.put(signingAlgorithm: .es256, in: $0)
            }
            receiver.answer(with: .temporaryRedirect)
            let browser = server.browser()
            _ = try await client.tokens(as: server.maple.nadia, in: browser)
            try await browser.submit(browser.get("/account").form("/sign-out"))
            _ = try await receiver.wait(for: 1)
            receiver.answer(with: .ok)
            // Until the attempt has been noted as failed.
            for _ in 0..<500 {
                if try await server.count("notification WHERE attempts = 1") == 1 { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            server.fixed.advance(by: 10)
            let told = try await tokens(2, at: receiver, from: server)
            #expect(receiver.redirectsFollowed == 0)
            #expect(Set(told.map { $0.claims["jti"] as? String }).count == 2)
            #expect(told.allSatisfy { $0.header["alg"] as? String == "ES256" })
            let issued = told.compactMap { $0.claims["iat"] as? Int }
            #expect(issued == [issued[0], issued[0] + 10])
        }
    }

    @Test("a logout token is no identity token: not here, and by its type not elsewhere")
    func noHint() async throws {
        try await with { server, client, receiver in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await client.tokens(as: nadia, in: browser)
            try await browser.submit(browser.get("/account").form("/sign-out"))
            let body = try #require(try await receiver.wait(for: 1).first?.body)
            let token = String(body.dropFirst("logout_token=".count))
            let again = server.browser()
            _ = try await client.tokens(as: nadia, in: again)
            #expect(try await again.get("/oidc/logout?id_token_hint=\(token)").status == 200)
            let answer = try await again.get(client.path(["prompt": "none", "id_token_hint": token]))
            #expect(answer.redirectParameters["error"] == "login_required")
        }
    }

    @Test("discovery says so")
    func discovery() async throws {
        try await TestServer.with { server in
            let document = try await server.browser().get("/oidc/.well-known/openid-configuration").json
            #expect(document["backchannel_logout_supported"] as? Bool == true)
            #expect(document["backchannel_logout_session_supported"] as? Bool == true)
            #expect((document["claims_supported"] as? [String])?.contains("sid") == true)
        }
    }
}
