import Authorization
import ConsolePages
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The same in the developer portal as ``ConsoleIdentityTests``.
@Suite struct PortalIdentityTests {
    private static let app = "/developer/teams/{team}/apps/{app}"
    private static let confirmed: Set = [
        "/developer/teams/{team}/keys/{key}/revoke", "/developer/teams/{team}/sandbox/remove",
        "/developer/teams/{team}/members/{person}/remove", "\(app)/clients/{client}",
        "\(app)/clients/{client}/secret", "\(app)/accept", "\(app)/remove",
    ]
    /// The app is offered anew.
    private static let unconfirmed: Set = ["\(app)/decline"]

    @Test("what nothing takes back is confirmed by who signed in a while ago, and nothing else is")
    func stale() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn(server.scene.developer.userName, in: browser)
            let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            let routes = try server.portalRoutes
            #expect(Self.confirmed.union(Self.unconfirmed).subtracting(routes.map(\.path)).isEmpty)
            var found: Set<String> = []
            for (isPage, route) in routes where isPage {
                if try await browser.get(server.filledPortal(route)).isFinal { found.insert(route) }
            }
            #expect(found.subtracting(Self.confirmed).subtracting(Self.unconfirmed).sorted() == [])
            #expect(found.count >= 3)

            server.fixed.advance(by: 16 * 60)
            let before = try await server.everything()
            for (isPage, route) in routes where isPage || Self.confirmed.contains(route) {
                let path = server.filledPortal(route)
                let answer =
                    isPage ? try await browser.get(path) : try await browser.post(path, ["csrf_token": token])
                #expect(answer.confirms(path) == Self.confirmed.contains(route), "\(route) \(answer.line)")
            }
            #expect(try await server.everything() == before)
        }
    }

    @Test("taking a scope away from an app that organizations have connected is such a thing, and no other edit is")
    func narrowing() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn(server.scene.developer.userName, in: browser)
            let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            let path = server.filledPortal("\(Self.app)/edit")
            let app = server.quizzler
            func edit(_ changes: [(key: String, value: String)]) async throws -> Answer {
                let fields: [(key: String, value: String)] = [
                    (key: "csrf_token", value: token), ("name", app.app.name), ("clientIDs", app.clientID),
                    ("returnURLs", "\(app.redirectURI)\n\(app.redirectURI)?tenant=a"),
                ]
                return try await browser.send(
                    .POST, path, ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Browser.encode(fields + changes))
            }
            let all = Scope.registrable.map { (key: "scopes", value: $0.rawValue) }
            // An app has one at least.
            let one = Array(all.prefix(1))
            let page = server.filledPortal(Self.app)
            let confirmation = "/confirm?continue=\(Browser.escape(page))"
            server.fixed.advance(by: 16 * 60)
            // Nobody has connected it yet.
            #expect(try await edit(one).location.hasPrefix(page))
            #expect(try await edit(all).location.hasPrefix(page))
            _ = try await server.connect()
            #expect(try await edit(all).location.hasPrefix(page))
            let before = try await server.everything()
            let confirmed = one + [(key: "confirmed", value: "yes")]
            for fields in [one, confirmed] {
                let answer = try await edit(fields)
                #expect(answer.status == 422)
                // The form keeps what was typed while another tab asks who it is.
                #expect(answer.body.contains("<a href=\"\(confirmation)\" target=\"_blank\" rel=\"noopener\">"))
                #expect(answer.body.contains("\(app.redirectURI)?tenant=a"))
                #expect(answer.body.matches(of: /name="scopes"[^>]* checked/).count == 1)
            }
            #expect(try await server.everything() == before)

            let question = try await browser.get(confirmation)
            try await browser.submit(question.form("/confirm"), ["current_password": District.password])
            let asked = try await edit(one)
            #expect(asked.status == 200 && asked.isFinal)
            #expect(asked.body.contains("Organizations have to connect it anew"))
            #expect(!asked.body.contains("You can undo this afterwards"))
            #expect(try await server.everything() == before)
            #expect(try await edit(confirmed).location.hasPrefix(page))
        }
    }
}
