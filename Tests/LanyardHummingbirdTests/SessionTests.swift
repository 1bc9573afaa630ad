import Foundation
import HTTPTypes
import LanyardAPI
import LanyardClient
import LanyardHummingbird
import Synchronization
import Testing

@Suite struct SessionTests {
    /// In the browser's own cookie, and in a store.
    static let keeping = [false, true]

    private func withSession(
        inStore isStored: Bool,
        configure: @escaping (inout SignIn.Configuration) -> Void = { _ in },
        _ test: @Sendable (FakeLanyard, TestBrowser, TestBrowser) async throws -> Void
    ) async throws {
        let service = try FakeLanyard()
        try await withApp(
            service: service,
            configure: {
                if isStored { $0.sessions = MemorySessionStore() }
                configure(&$0)
            }
        ) { browser, client in
            try await browser.signIn(service, as: FakeLanyard.teacher)
            try await browser.expect("/", "t1")
            try await test(service, browser, TestBrowser(client))
        }
    }

    @Test("signing out ends the session", arguments: keeping)
    func signOut(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { _, browser, thief in
            thief.copyCookies(from: browser)
            let out = try await browser.post("/sign-in/out", "")
            #expect(out.location == "/")
            #expect(browser.cookies.isEmpty)
            try await browser.expect("/", "nobody")
            // What is stored is gone for everybody; what a browser has kept is as good as it was.
            try await thief.expect("/", (isStored ? "nobody" : "t1"))
        }
    }

    @Test("another site cannot sign anybody out", arguments: keeping)
    func crossSite(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { _, browser, _ in
            for headers: HTTPFields in [
                [.origin: "https://evil.example"], [.init("Sec-Fetch-Site")!: "cross-site"],
                [.init("Sec-Fetch-Site")!: "same-site", .origin: "https://quizzler.example"], [.origin: "null"],
            ] {
                let out = try await browser.post("/sign-in/out", "", headers: headers)
                #expect(out.status == .forbidden, "\(headers)")
            }
            #expect(try await browser.get("/sign-in/out").status == .notFound)
            try await browser.expect("/", "t1")
            let own = try await browser.post(
                "/sign-in/out", "", headers: [.init("Sec-Fetch-Site")!: "same-origin", .origin: "null"])
            #expect(own.status == .seeOther)
        }
    }

    @Test("a session that was changed, or is another app's, is nobody's", arguments: keeping)
    func forged(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { _, browser, other in
            let value = try #require(browser.sessionCookie)
            var changed = Array(value)
            changed[changed.count / 2] = changed[changed.count / 2] == "A" ? "B" : "A"
            _ = try await other.get("/sign-in")
            let trip = try #require(other.cookies.values.first?.value)
            for forged in [String(changed), "x", String(value.dropLast(4)), trip] {
                other.setCookie("__Host-sign-in-session", forged)
                try await other.expect("/", "nobody")
                #expect(other.sessionCookie == nil)
            }
        }
    }

    @Test("a session ends with its lifetime", arguments: keeping)
    func lifetime(isStored: Bool) async throws {
        try await withSession(inStore: isStored, configure: { $0.lifetime = .seconds(3_600) }) { service, browser, _ in
            service.advance(by: 3_599)
            try await browser.expect("/", "t1")
            service.advance(by: 1)
            try await browser.expect("/", "nobody")
        }
    }

    @Test("the service is asked once a day, however many requests come", arguments: keeping)
    func dailyCheck(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { service, browser, _ in
            service.advance(by: 86_399)
            _ = try await browser.get("/")
            #expect(service.refreshes.isEmpty)
            service.advance(by: 1)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await browser.get("/").body }
                }
                for try await body in group {
                    #expect(body == "t1")
                }
            }
            #expect(service.refreshes.count == 1)
            service.advance(by: 86_399)
            _ = try await browser.get("/")
            #expect(service.refreshes.count == 1)
            service.advance(by: 1)
            _ = try await browser.get("/")
            #expect(service.refreshes.count == 2)
        }
    }

    @Test("who may not use the app any more is signed out by the daily check", arguments: keeping)
    func gone(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { service, browser, thief in
            thief.copyCookies(from: browser)
            service.stop(FakeLanyard.teacher)
            try await browser.expect("/", "t1")
            service.advance(by: 86_400)
            try await browser.expect("/", "nobody")
            #expect(browser.sessionCookie == nil)
            try await thief.expect("/", "nobody")
        }
    }

    @Test("a service that does not answer signs nobody out, but not for ever, and is not pestered", arguments: keeping)
    func down(isStored: Bool) async throws {
        try await withSession(inStore: isStored) { service, browser, _ in
            service.advance(by: 86_400)
            service.goDown()
            try await browser.expect("/", "t1")
            service.goDown(false)
            _ = try await browser.get("/")
            #expect(service.refreshes.isEmpty)
            service.advance(by: 300)
            _ = try await browser.get("/")
            #expect(service.refreshes.count == 1)
            service.goDown()
            service.advance(by: 3 * 86_400)
            try await browser.expect("/", "nobody")
        }
    }

    @Test("a notification signs out at once, once, and who comes back stays", arguments: keeping)
    func notification(isStored: Bool) async throws {
        let changes = Mutex<[NotificationEvent.Change]>([])
        try await withSession(
            inStore: isStored, configure: { $0.onChange = { event in changes.withLock { $0.append(event.change) } } }
        ) { service, browser, other in
            try await other.signIn(service, as: FakeLanyard.parent)
            service.advance(by: 10)
            let time = Int(service.now.timeIntervalSince1970) * 1_000
            let body = try await service.notification(
                #"{"type":"consent-revoked","sub":"t1","event_time":\#(time)}"#, id: "j1")
            #expect(try await other.post("/sign-in/notifications", body).status == .ok)
            try await browser.expect("/", "nobody")
            try await other.expect("/", "p1")

            service.advance(by: 10)
            try await browser.signIn(service, as: FakeLanyard.teacher)
            #expect(try await other.post("/sign-in/notifications", body).status == .ok)
            try await browser.expect("/", "t1")
            #expect(changes.withLock { $0 } == [.personStopped(personID: "t1")])
        }
    }

    @Test("who deletes the account is signed out and forgotten", arguments: keeping)
    func accountDeleted(isStored: Bool) async throws {
        let names = MemoryNameStore()
        try await withSession(inStore: isStored, configure: { $0.names = names }) { service, browser, _ in
            #expect(names.name(ofPerson: "t1")?.givenName == "Ana")
            let body = try await service.notification(#"{"type":"account-delete","sub":"t1"}"#, id: "j1")
            #expect(try await browser.post("/sign-in/notifications", body).status == .ok)
            try await browser.expect("/", "nobody")
            #expect(names.name(ofPerson: "t1") == nil)
        }
    }

    @Test("a notification that cannot be trusted does nothing; one that fails is sent again")
    func badNotifications() async throws {
        struct Busy: Error {}
        let isBusy = Mutex(true)
        try await withSession(
            inStore: false, configure: { $0.onChange = { _ in if isBusy.withLock({ $0 }) { throw Busy() } } }
        ) { service, browser, other in
            let other = FakeNotification(browser: other)
            let stranger = try FakeLanyard()
            let foreign = try await stranger.notification(#"{"type":"account-delete","sub":"t1"}"#, id: "j1")
            for body in ["", "{}", #"{"payload":"a.b.c"}"#, foreign] {
                #expect(try await other.send(body) == .badRequest)
            }
            #expect(try await other.send(String(repeating: "x", count: 70_000)) == .contentTooLarge)
            try await browser.expect("/", "t1")

            let email = try await service.notification(
                #"{"type":"email-disabled","sub":"t1","email":"x@r.example"}"#, id: "j2")
            #expect(try await other.send(email) == .internalServerError)
            isBusy.withLock { $0 = false }
            #expect(try await other.send(email) == .ok)
            try await browser.expect("/", "t1")
        }
    }

    private struct FakeNotification {
        let browser: TestBrowser
        func send(_ body: String) async throws -> HTTPResponse.Status {
            try await browser.post("/sign-in/notifications", body).status
        }
    }
}
