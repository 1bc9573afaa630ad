import Authorization
import ConsolePages
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import ServerHTTP

/// The same in the developer portal as ``ConsoleIdentityTests``.
@Suite struct PortalIdentityTests {
    private static let app = "/developer/teams/{team}/apps/{app}"
    private static let confirmed: Set = [
        "/developer/teams/{team}/keys/{key}/revoke", "/developer/teams/{team}/sandbox/remove",
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
}
