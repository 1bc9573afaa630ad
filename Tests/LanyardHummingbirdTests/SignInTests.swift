import Foundation
import HTTPTypes
import LanyardAPI
import LanyardClient
import LanyardHummingbird
import Synchronization
import Testing

@Suite struct SignInTests {
    @Test(
        "a parent, a teacher and a pupil without an address sign in the same way",
        arguments: [
            (FakeLanyard.parent, "p1 | Maria Ruiz | x7@relay.example | -"),
            (FakeLanyard.teacher, "t1 | Ana Okoye | ana@maple.example | org-1"),
            (FakeLanyard.pupil, "s1 | Fatima Silva | - | org-1"),
        ])
    func people(person: FakeLanyard.Person, page: String) async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            let refused = try await browser.get("/me?x=1&y=%2F")
            #expect(refused.status == .seeOther)
            #expect(refused.location == "/sign-in?return_to=%2Fme%3Fx%3D1%26y%3D%252F")

            let begin = try await browser.get(refused.location)
            #expect(begin.status == .seeOther)
            let parameters = FakeLanyard.fields(String(begin.location.split(separator: "?", maxSplits: 1)[1]))
            #expect(parameters["response_mode"] == "form_post")
            #expect(parameters["scope"] == "name email")
            #expect(parameters["redirect_uri"] == "https://quizzler.example/sign-in/callback")
            #expect(parameters["code_challenge_method"] == "S256")
            #expect(Set(["state", "nonce", "code_challenge"].map { parameters[$0]?.count }) == [43])

            let back = try await browser.post(
                "/sign-in/callback", service.answer(to: begin.location, as: person), isCrossSite: true)
            #expect(back.status == .seeOther)
            #expect(back.location == "/me?x=1&y=%2F")
            try await browser.expect("/me", page)
            try await browser.expect("/", person.id)
        }
    }

    @Test(
        "cookies are for this host, https and no script; the trip's comes with the service's form, the session's does not"
    )
    func cookies() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            _ = try await browser.get("/sign-in")
            let trip = try #require(browser.cookies.first)
            #expect(trip.key.hasPrefix("__Host-sign-in-trip-"))
            #expect(trip.value.sameSite == "None")
            #expect(trip.value.isSecure && trip.value.isHTTPOnly)

            try await browser.signIn(service, as: FakeLanyard.parent)
            let session = try #require(browser.cookies["__Host-sign-in-session"])
            #expect(session.sameSite == "Lax")
            #expect(session.isSecure && session.isHTTPOnly)
            #expect(session.value.count < 3_000)
        }
    }

    @Test("on http, where the service's form brings no cookie, the app's own page posts it once more")
    func repost() async throws {
        let service = try FakeLanyard()
        try await withApp(publicURL: "http://localhost:8081", service: service) { browser, _ in
            let begin = try await browser.get("/sign-in?return_to=/me")
            #expect(browser.cookies.values.allSatisfy { $0.sameSite == "Lax" && !$0.isSecure })
            var person = FakeLanyard.parent
            person.user = #"{"name":{"firstName":"\"><script>alert(1)</script>","lastName":"O'Neil & Söhne"}}"#
            let form = service.answer(to: begin.location, as: person)
            let page = try await browser.post("/sign-in/callback", form, isCrossSite: true)
            #expect(page.status == .ok)
            #expect(!page.body.contains("<script>alert"))
            #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            #expect(page.headers[.cacheControl] == "no-store")

            let back = try await browser.post("/sign-in/callback", TestBrowser.fields(of: page.body))
            #expect(back.location == "/me")
            let me = try await browser.get("/me").body
            #expect(me == #"p1 | "><script>alert(1)</script> O'Neil & Söhne | x7@relay.example | -"#)
        }
    }

    @Test("a form that has been posted once more without a cookie is refused, not posted for ever")
    func noLoop() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, client in
            let begin = try await browser.get("/sign-in")
            let form = service.answer(to: begin.location, as: FakeLanyard.parent)
            let other = TestBrowser(client)
            let page = try await other.post("/sign-in/callback", form, isCrossSite: true)
            #expect(page.status == .ok)
            let refused = try await other.post("/sign-in/callback", TestBrowser.fields(of: page.body))
            #expect(refused.status == .badRequest)
            #expect(refused.headers[.contentType] == "text/html; charset=utf-8")
            #expect(refused.body.contains(#"<a href="/sign-in">Sign in again</a>"#))
            #expect(other.sessionCookie == nil)
        }
    }

    @Test("without scopes the answer is a query, and that works too")
    func query() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service, configure: { $0.scopes = [] }) { browser, _ in
            let begin = try await browser.get("/sign-in")
            #expect(begin.location.contains("response_mode=query"))
            let back = try await browser.get(
                "/sign-in/callback?" + service.answer(to: begin.location, as: FakeLanyard.pupil))
            #expect(back.status == .seeOther)
            try await browser.expect("/", "s1")
        }
    }

    @Test("who cancels goes home, signed in as little as before")
    func cancelled() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            let begin = try await browser.get("/sign-in?return_to=/me")
            let state = FakeLanyard.fields(begin.location)["state"] ?? ""
            let back = try await browser.post(
                "/sign-in/callback", "error=user_cancelled_authorize&state=\(state)", isCrossSite: true)
            #expect(back.location == "/")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("an answer that somebody else began, that comes twice, too late or changed signs nobody in")
    func refused() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, client in
            // An attacker's own answer, posted to a victim's browser.
            let attacker = TestBrowser(client)
            let theirs = try await attacker.get("/sign-in")
            let form = service.answer(to: theirs.location, as: FakeLanyard.teacher)
            _ = try await browser.get("/sign-in")
            let reposted = try await browser.post("/sign-in/callback", form + "&reposted=1")
            #expect(reposted.status == .badRequest)

            // The same answer twice.
            let begin = try await browser.get("/sign-in")
            let answer = service.answer(to: begin.location, as: FakeLanyard.parent)
            let copy = TestBrowser(client)
            copy.copyCookies(from: browser)
            #expect(try await browser.post("/sign-in/callback", answer).status == .seeOther)
            // It does nothing to who is signed in already: they came back by the browser's history.
            let again = try await browser.post("/sign-in/callback", answer + "&reposted=1")
            #expect(again.status == .seeOther && again.location == "/")
            #expect(try await copy.post("/sign-in/callback", answer).status == .badRequest)
            #expect(copy.sessionCookie == nil)

            // Nothing but noise.
            for form in [
                "", "code=c", "state=s&reposted=1", "code=c&state=../../x&reposted=1", "code=c&state=s&state=s",
            ] {
                #expect(try await copy.post("/sign-in/callback", form).status == .badRequest, "\(form)")
            }
            #expect(try await copy.post("/sign-in/callback", String(repeating: "x", count: 70_000)).status != .seeOther)

            // After an hour.
            let late = try await copy.get("/sign-in")
            let lateAnswer = service.answer(to: late.location, as: FakeLanyard.parent)
            service.advance(by: 3_600)
            #expect(try await copy.post("/sign-in/callback", lateAnswer + "&reposted=1").status == .badRequest)
            #expect(copy.sessionCookie == nil)
        }
    }

    @Test("a token for another attempt signs nobody in")
    func wrongNonce() async throws {
        let service = try FakeLanyard()
        service.turnMalicious()
        try await withApp(service: service) { browser, _ in
            let back = try await browser.signIn(service, as: FakeLanyard.parent)
            #expect(back.status == .badRequest)
            #expect(browser.sessionCookie == nil)
        }
    }

    @Test(
        "nobody is sent to another site",
        arguments: [
            "https://evil.example", "//evil.example", "/%5Cevil.example", "%5C%5Cevil.example", "/%0d%0aevil",
            "javascript:alert(1)", "me", "", "/%2Fevil.example",
        ])
    func openRedirect(returnTo: String) async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            let back = try await browser.signIn(service, as: FakeLanyard.parent, returnTo: returnTo)
            #expect(back.status == .seeOther)
            #expect(back.location == "/")
        }
    }

    @Test("two tabs sign in beside each other; many begun trips do not fill the browser")
    func tabs() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            let first = try await browser.get("/sign-in?return_to=/first")
            let second = try await browser.get("/sign-in?return_to=/second")
            let back = try await browser.post(
                "/sign-in/callback", service.answer(to: first.location, as: FakeLanyard.parent), isCrossSite: true)
            #expect(back.location == "/first")
            let other = try await browser.post(
                "/sign-in/callback", service.answer(to: second.location, as: FakeLanyard.parent), isCrossSite: true)
            #expect(other.location == "/second")
            for _ in 0..<30 { _ = try await browser.get("/sign-in") }
            #expect(browser.cookies.count <= 6)
        }
    }

    @Test("a name is told once and remembered; what is invisible in it is not")
    func names() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            var person = FakeLanyard.parent
            person.user =
                #"{"name":{"firstName":" Ma\u202Eria\n","lastName":"\#(String(repeating: "z\u{301}", count: 5_000))"}}"#
            try await browser.signIn(service, as: person)
            let name = "Maria " + String(repeating: "z\u{301}", count: 100)
            #expect(try await browser.get("/me").body.contains(name + " |"))
            #expect((browser.sessionCookie?.count ?? 0) < 3_800)
            browser.forgetCookies()
            person.user = nil
            try await browser.signIn(service, as: person)
            #expect(try await browser.get("/me").body.contains(name + " |"))
        }
    }

    @Test("who is refused by the app is not signed in")
    func hook() async throws {
        struct NotHere: Error {}
        let service = try FakeLanyard()
        let seen = Mutex<[String]>([])
        try await withApp(
            service: service,
            configure: {
                $0.onSignIn = { person in
                    seen.withLock { $0.append(person.id) }
                    if person.account == .personal { throw NotHere() }
                }
            }
        ) { browser, _ in
            let refused = try await browser.signIn(service, as: FakeLanyard.parent)
            #expect(refused.status == .internalServerError)
            #expect(browser.sessionCookie == nil)
            try await browser.signIn(service, as: FakeLanyard.teacher)
            try await browser.expect("/", "t1")
            #expect(seen.withLock { $0 } == ["p1", "t1"])
        }
    }

    @Test("only pages lead to sign-in; everything else is refused")
    func notPages() async throws {
        let service = try FakeLanyard()
        try await withApp(service: service) { browser, _ in
            let data = try await browser.get("/me", headers: [.accept: "application/json"])
            #expect(data.status == .unauthorized)
            let form = try await browser.post("/me", "", headers: [.accept: "text/html"])
            #expect(form.status == .unauthorized)
        }
    }

    @Test(
        "what cannot be safe is refused at the start",
        arguments: [
            ("http://quizzler.example", 32), ("https://quizzler.example/app", 32), ("quizzler.example", 32),
            ("https://", 32), ("ftp://quizzler.example", 32), ("https://u@quizzler.example", 32),
            ("http://localhost.evil.example", 32), ("https://quizzler.example", 31),
        ])
    func configuration(publicURL: String, secretBytes: Int) throws {
        let client = try FakeLanyard().client()
        #expect(throws: SignInConfigurationError.self) {
            try SignIn(client: client, publicURL: publicURL, secret: Data(count: secretBytes))
        }
    }
}
