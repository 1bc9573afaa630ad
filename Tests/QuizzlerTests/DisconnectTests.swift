import Foundation
import Hummingbird
import LanyardAPI
import Testing
@testable import quizzler

@Suite struct DisconnectTests {
    @Test("a consent-revoked notification deletes everything about the organization, once")
    func revoked() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.clock.advance(by: 60)
            let notification = try await browser.service.revocation(id: "j1", at: browser.clock.now)
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            #expect(await browser.store.connections.isEmpty)
            #expect(try await browser.get("/").body.contains("\u{2068}Maple District\u{2069} has disconnected."))
            #expect(try await browser.get(TestBrowser.organizationPath).status == .notFound)

            try await browser.connect()
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            #expect(await browser.store.connections.count == 1)
        }
    }

    @Test("a late notification about an earlier consent leads to a sync, not to a deletion")
    func late() async throws {
        try await TestBrowser.with { browser in
            let notification = try await browser.service.revocation(id: "j1", at: browser.clock.now)
            browser.clock.advance(by: 3_600)
            try await browser.connect()
            browser.clock.advance(by: 60)
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            await browser.finishSync()
            let connection = try #require(await browser.store.connection("org/1"))
            #expect(connection.lastSync?.at == browser.clock.now)
        }
    }

    @Test(
        "a notification from the second in which the organization connected is looked into", arguments: [true, false])
    func sameSecond(isConsentGone: Bool) async throws {
        try await TestBrowser.with { browser in
            browser.clock.advance(by: 0.8)
            try await browser.connect()
            let notification = try await browser.service.revocation(id: "j1", at: browser.clock.now)
            browser.service.change { $0.hasConsent = !isConsentGone }
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            await browser.finishSync()
            #expect(await browser.store.connections.isEmpty == isConsentGone)
        }
    }

    @Test("a notification that is not signed by the service deletes nothing")
    func forged() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let forged = try await FakeService().revocation(id: "j1", at: browser.clock.now)
            #expect(try await browser.post("/sign-in/notifications", forged).status == .badRequest)
            #expect(try await browser.post("/sign-in/notifications", "{}").status == .badRequest)
            #expect(await browser.store.connections.count == 1)
        }
    }

    @Test("a notification that cannot be verified now is asked for again")
    func keysUnavailable() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let notification = try await browser.service.revocation(id: "j1", at: browser.clock.now)
            // The keys of yesterday are too old, and there are none of today.
            browser.clock.advance(by: 86_400)
            browser.service.change { $0.keysStatus = 503 }
            for _ in 1...2 {
                #expect(try await browser.post("/sign-in/notifications", notification).status == .serviceUnavailable)
            }
            browser.service.change { $0.keysStatus = nil }
            browser.clock.advance(by: 60)
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            #expect(await browser.store.connections.isEmpty)
        }
    }

    @Test("Disconnect names the consequence, gives the token back and deletes everything")
    func disconnect() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let path = TestBrowser.organizationPath + "/disconnect"
            #expect(try await browser.get(path).body.contains("3 people and 1 class"))
            #expect(try await browser.submit(path, on: path).location == "/")
            #expect(browser.service.revokedTokens == ["r1"])
            #expect(await browser.store.connections.isEmpty)

            let home = try await browser.get("/").body
            let notice = try #require(await browser.store.contents.notices.first)
            #expect(home.contains("\u{2068}Maple District\u{2069} is disconnected"))
            _ = try await browser.submit("/notices/\(notice.id)/dismiss", on: "/")
            #expect(!(try await browser.get("/").body.contains("Maple District")))
        }
    }

    @Test("Disconnect deletes also when the service cannot be told, and then says what is left to do")
    func disconnectAlone() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.service.change { $0.revokeStatus = 500 }
            let path = TestBrowser.organizationPath + "/disconnect"
            #expect(try await browser.submit(path, on: path).status == .seeOther)
            #expect(await browser.store.connections.isEmpty)
            let home = try await browser.get("/").body
            #expect(home.contains("is disconnected"))
            #expect(home.contains("An administrator can stop sharing with Quizzler on their account page there."))
        }
    }

    @Test("the end of one connection leaves the one that has taken its place")
    func endsOneOnly() {
        func connection(_ refreshToken: String) -> Connection {
            Connection(
                organizationID: "o", organizationName: "O", id: UUID(), refreshToken: refreshToken,
                connectedAt: .distantPast, visitorKey: nil)
        }
        let (earlier, later) = (connection("r1"), connection("r2"))
        var contents = ConnectionStore.Contents(connections: ["o": later])
        contents.end(earlier, at: .distantPast, notice: "It has ended.")
        #expect(contents.connections == ["o": later] && contents.notices.isEmpty)
        contents.end(later, at: .distantPast, notice: "It has ended.")
        #expect(contents.connections.isEmpty && contents.notices.map(\.message) == ["It has ended."])
    }
}
