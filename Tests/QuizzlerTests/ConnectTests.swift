import Foundation
import Hummingbird
import LanyardAPI
import Testing
@testable import quizzler

@Suite struct ConnectTests {
    @Test("the button leads to the consent page, with state, nonce and challenge of this trip")
    func begin() async throws {
        try await TestBrowser.with { browser in
            #expect(
                try await browser.get("/").body.contains(
                    #"<a class="button secondary" href="/connect">Connect your school</a>"#))
            let location = try await browser.get("/connect").location
            #expect(location.hasPrefix("http://lanyard.test/auth/oauth2/v2/authorize?client_id=example.quizzler"))
            #expect(location.contains("&redirect_uri=http%3A%2F%2F127.0.0.1%3A8081%2Fconnect%2Fcallback&"))
            #expect(location.contains("&scope=edu.users.read%20edu.classes.read&"))
            #expect(location.contains("&code_challenge_method=S256"))
        }
    }

    @Test("after Allow, the classes are there with teachers and pupils")
    func allow() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let page = try await browser.get(TestBrowser.organizationPath).body
            for text in ["Maple District", "Earth Science", "SCI-7B · Maple Elementary", "Ana Ruiz", "山田太郎"] {
                #expect(page.contains(text))
            }
            #expect(page.contains("The first one: everything is new."))
            #expect(try await browser.get("/").body.contains("1 class, 3 people. In step just now."))
        }
    }

    @Test("while the roster is read, the page says so and refreshes itself")
    func progress() async throws {
        try await TestBrowser.with { browser in
            browser.service.change { $0.holdsClasses = true }
            _ = try await browser.get(try await browser.callbackPath())
            let reading = try await browser.get(TestBrowser.organizationPath).body
            browser.service.change { $0.holdsClasses = false }
            await browser.finishSync()
            let done = try await browser.get(TestBrowser.organizationPath).body

            #expect(reading.contains("Reading the roster") && reading.contains(#"http-equiv="refresh""#))
            #expect(!reading.contains("Sync now"))
            #expect(!done.contains("Reading the roster") && !done.contains(#"http-equiv="refresh""#))
        }
    }

    @Test("after Don't Allow, a kind page says that nothing is connected")
    func deny() async throws {
        try await TestBrowser.with { browser in
            let state = try #require(try await browser.callbackPath().split(separator: "=").last)
            let answer = try await browser.get("/connect/callback?error=access_denied&state=\(state)")
            #expect(answer.status == .ok)
            #expect(answer.body.contains("Your school is not connected"))
            #expect(await browser.store.connections.isEmpty)
        }
    }

    @Test("a callback with a wrong state, none, a used one, or in another browser is refused")
    func wrongState() async throws {
        try await TestBrowser.with { browser in
            let path = try await browser.callbackPath()
            #expect(try await browser.get("/connect/callback?code=good&state=wrong").status == .badRequest)
            #expect(try await browser.get("/connect/callback?code=good").status == .badRequest)

            let stranger = try await browser.callbackPath()
            browser.forgetCookie()
            #expect(try await browser.get(stranger).status == .badRequest)
            #expect(try await browser.get(path).status == .badRequest)
            #expect(await browser.store.connections.isEmpty)

            try await browser.connect()
            let again = try await browser.callbackPath()
            #expect(try await browser.get(again).status == .seeOther)
            #expect(try await browser.get(again).status == .badRequest)
        }
    }

    @Test("a trip that took more than an hour is refused")
    func tooLate() async throws {
        try await TestBrowser.with { browser in
            let path = try await browser.callbackPath()
            browser.clock.advance(by: 3_600)
            #expect(try await browser.get(path).status == .badRequest)
        }
    }

    @Test("a code that the service refuses, or an identity token for another trip, connects nothing")
    func refusedCode() async throws {
        try await TestBrowser.with { browser in
            #expect(try await browser.get(try await browser.callbackPath(code: "bad")).status == .badGateway)
            let path = try await browser.callbackPath()
            browser.service.change { $0.nonce = "another" }
            #expect(try await browser.get(path).status == .badGateway)
            #expect(await browser.store.connections.isEmpty)
            // The second code was redeemed: nobody keeps what came of it.
            #expect(browser.service.revokedTokens == ["r2"])
        }
    }

    @Test("an organization that connects again gets its earlier token revoked, and keeps the new one")
    func connectAgain() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            try await browser.connect()
            #expect(browser.service.revokedTokens == ["r1"])
            #expect(await browser.store.connection("org/1")?.refreshToken == "r2")
        }
    }

    @Test("the cookie is HttpOnly and Lax, and Secure where people come by https")
    func cookie() async throws {
        try await TestBrowser.with { browser in
            let cookie = try await browser.get("/").headers[.setCookie] ?? ""
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"))
            #expect(try await browser.get("/").headers[.setCookie] == nil)
        }
        try await TestBrowser.with(publicURL: "https://quizzler.test") { browser in
            let cookie = try await browser.get("/").headers[.setCookie] ?? ""
            #expect(cookie.hasPrefix("__Host-quizzler=") && cookie.contains("; Secure"))
        }
    }
}
