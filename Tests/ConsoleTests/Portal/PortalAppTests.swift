import Directory
import Fixtures
import Foundation
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// The last look at an app before it is registered.
@Suite struct PortalAppTests {
    private static let typed = [
        "name": "Second", "name_ja": "セカンド", "name_ko": "세컨드", "clientIDs": "com.quizzler.second",
        "scopes": "edu.users.read", "domains": "second.example", "returnURLs": "https://second.example/callback",
        "nativeReturnURLs": "com.quizzler.second:/callback", "signOutURLs": "https://second.example/bye",
        "notificationURL": "https://second.example/notifications",
        "backChannelLogoutURL": "https://second.example/logout",
    ]

    @Test("it shows all that was typed, and nothing that was not")
    func review() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn(server.scene.developer.userName, in: browser)
            let path = server.filledPortal("/developer/teams/{team}/apps/add")
            let form = try await browser.get(path).form(path)
            let needed = Self.typed.filter { ["name", "clientIDs", "scopes"].contains($0.key) }
            #expect(try await Self.points(browser.submit(form, needed)).count == 2)

            let review = try await browser.submit(form, Self.typed.merging(["requiresPKCE": "yes"]) { $1 })
            let points = Self.points(review)
            // The name is in the heading, and whether PKCE is required in a sentence of its own.
            #expect(points.count == Self.typed.count)
            #expect(review.heading?.contains("Second") == true)
            for (field, value) in Self.typed where field != "name" {
                #expect(points.contains { $0.contains(value) }, "\(field): \(points)")
            }
            #expect(points.contains { $0.contains("code challenge") })

            let registered = try await browser.follow(try await browser.submit(review.form(path)))
            #expect(registered.heading == "Second")
            for value in Self.typed.values { #expect(registered.body.contains(value), "\(value)") }
            #expect(registered.body.contains("Required"))
        }
    }

    /// The sentences that say what follows.
    private static func points(_ page: Answer) -> [String] {
        let list = page.body.firstMatch(of: #/(?s)<ul class="consequences">(.*?)</ul>/#)?.1 ?? ""
        return list.matches(of: #/(?s)<li>(.*?)</li>/#).map { Answer.unescape($0.1) }
    }
}
