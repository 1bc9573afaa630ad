import Foundation
import Hummingbird
import LanyardAPI
import Testing
@testable import quizzler

@Suite struct SyncTests {
    private func syncNow(_ browser: TestBrowser) async throws -> String {
        let answer = try await browser.submit(
            TestBrowser.organizationPath + "/sync", on: TestBrowser.organizationPath)
        #expect(answer.status == .seeOther)
        await browser.finishSync()
        return try await browser.get(TestBrowser.organizationPath).body
    }

    @Test("Sync now shows who was added, removed and changed")
    func changes() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            #expect(try await syncNow(browser).contains("Nothing has changed since the one before."))

            browser.service.change { state in
                state.users.removeAll { $0.id == "s2" }
                state.users.append(User(id: "s3", givenName: "Nadia", familyName: "Okoye"))
                state.classes[0].studentIDs = ["s1", "s3"]
                state.classes.append(RosterClass(id: "CL:2", name: "Algebra"))
            }
            let page = try await syncNow(browser)
            let changes = [
                ("1 person added", "Nadia Okoye"), ("1 person removed", "山田太郎"), ("1 class added", "Algebra"),
                ("1 class changed", "Earth Science"),
            ]
            for (change, name) in changes {
                let item = "<span class=\"item\"><bdi>\(name)</bdi>"
                #expect(page.contains("<strong>\(change)</strong> <span class=\"quiet\">\n\(item)"))
            }
        }
    }

    @Test(
        "a sync that fails half way loses nothing and says why",
        arguments: [
            (500, "The roster could not be read."),
            (403, "no longer shares its roster with Quizzler (403)."),
        ])
    func failure(status: Int, message: String) async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            let before = await browser.store.connection("org/1")?.roster
            browser.service.change { $0.usersStatus = status }
            let page = try await syncNow(browser)

            #expect(page.contains(message))
            #expect(page.contains("Earth Science"))
            #expect(await browser.store.connection("org/1")?.roster == before)

            browser.service.change { $0.usersStatus = nil }
            #expect(!(try await syncNow(browser).contains(message)))
        }
    }

    @Test("when the consent is gone, a sync deletes everything and leaves a notice")
    func consentGone() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.service.change { $0.hasConsent = false }
            #expect(try await syncNow(browser).contains("There is nothing here"))

            #expect(await browser.store.connections.isEmpty)
            #expect(try await browser.get("/").body.contains("\u{2068}Maple District\u{2069} has disconnected."))
            let stored = try String(contentsOf: browser.file, encoding: .utf8)
            #expect(!stored.contains("Ruiz") && !stored.contains("refreshToken"))
        }
    }

    @Test("what a sync has read is thrown away if the organization disconnects meanwhile")
    func disconnectedMeanwhile() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.service.change { $0.holdsClasses = true }
            _ = try await browser.submit(TestBrowser.organizationPath + "/sync", on: TestBrowser.organizationPath)
            let notification = try await browser.service.revocation(id: "j", at: browser.clock.now)
            #expect(try await browser.post("/sign-in/notifications", notification).status == .ok)
            browser.service.change { $0.holdsClasses = false }
            await browser.finishSync()
            #expect(await browser.store.connections.isEmpty)
        }
    }

    @Test("an organization that connects anew during a sync is read again, and the earlier sync cannot harm it")
    func reconnectedMeanwhile() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.service.change { $0.holdsClasses = true }
            _ = try await browser.submit(TestBrowser.organizationPath + "/sync", on: TestBrowser.organizationPath)
            browser.clock.advance(by: 60)
            _ = try await browser.get(try await browser.callbackPath())
            browser.service.change { state in
                state.deadTokens = ["r1"]
                state.holdsClasses = false
            }
            await browser.finishSync()

            let connection = try #require(await browser.store.connection("org/1"))
            #expect(connection.refreshToken == "r2")
            #expect(connection.lastSync?.at == browser.clock.now)
            #expect(connection.lastFailure == nil)
        }
    }

    @Test("who asks during a sync gets another one after it")
    func askedDuringASync() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            browser.service.change { $0.holdsClasses = true }
            browser.sync.request("org/1")
            // The people are read before the classes: who comes now would be missed.
            while !browser.service.isHoldingClasses { try await Task.sleep(for: .milliseconds(2)) }
            browser.service.change { $0.users.append(User(id: "s9", givenName: "Nadia", familyName: "Okoye")) }
            browser.sync.request("org/1")
            browser.service.change { $0.holdsClasses = false }
            await browser.finishSync()
            #expect(await browser.store.connection("org/1")?.roster?.people["s9"] != nil)
        }
    }

    @Test("a sync is due after the interval, and an hour after a failure")
    func due() {
        let start = Date(timeIntervalSince1970: 0)
        var connection = Connection(
            organizationID: "o", organizationName: "O", id: UUID(), refreshToken: "r", connectedAt: start,
            visitorKey: nil)
        #expect(connection.isDue(every: 86_400, at: start))
        connection.lastSync = Connection.Sync(at: start)
        #expect(!connection.isDue(every: 86_400, at: start.addingTimeInterval(86_399)))
        #expect(connection.isDue(every: 86_400, at: start.addingTimeInterval(86_400)))
        connection.lastFailure = Connection.Failure(at: start, message: "")
        #expect(!connection.isDue(every: 86_400, at: start.addingTimeInterval(3_599)))
        #expect(connection.isDue(every: 86_400, at: start.addingTimeInterval(3_600)))
    }

    @Test("a form without the token of this browser changes nothing")
    func csrf() async throws {
        try await TestBrowser.with { browser in
            try await browser.connect()
            for path in ["/sync", "/disconnect"] {
                let path = TestBrowser.organizationPath + path
                #expect(try await browser.post(path, "").status == .forbidden)
                #expect(try await browser.post(path, "csrf=\(String(repeating: "0", count: 64))").status == .forbidden)
            }
            #expect(browser.sync.progress(of: "org/1") == nil)
            #expect(await browser.store.connections.count == 1)
        }
    }
}
