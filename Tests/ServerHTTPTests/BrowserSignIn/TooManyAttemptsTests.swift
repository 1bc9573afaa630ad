import Directory
import Fixtures
import Foundation
import NIOHTTP1
import ServerHTTP
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct TooManyAttemptsTests {
    private static let sentence = "There were too many tries."

    /// What differs from one answer to the next whoever asks: the token of the form, and the name that was typed.
    private func body(_ answer: Answer, without name: String) -> String {
        let token = answer.form("/sign-in")?.fields["csrf_token"] ?? ""
        // The form that changes the language takes the name along, as in the body of a request.
        return answer.body.replacing(token, with: "").replacing(name, with: "")
            .replacing(Browser.escape(name), with: "")
    }

    @Test(
        "an account and a name that does not exist answer a row of wrong passwords in the same way",
        arguments: TestDatabase.available)
    func uniform(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            var answers: [String: [(Int, String, String?)]] = [:]
            // A locked account that nobody can enter, one without a password, and one that is not there.
            let now = server.fixed.now
            try await server.database.write { try server.maple.siteManager.deactivate(at: now, in: $0) }
            for name in [server.maple.ben.userName, server.maple.siteManager.userName, "nobody@maple.example"] {
                let browser = server.browser()
                for _ in 0..<8 {
                    let answer = try await server.signIn(name, password: "wrong", in: browser)
                    answers[name, default: []].append(
                        (answer.status, body(answer, without: name), answer["Retry-After"]))
                    #expect(answer.cookies.isEmpty)
                }
            }
            let all = Array(answers.values)
            #expect(all.count == 3)
            for other in all.dropFirst() {
                for (left, right) in zip(all[0], other) { #expect(left == right) }
            }
            #expect(all[0].map(\.0) == [422, 422, 422, 422, 422, 429, 429, 429])
            #expect(all[0].last?.2 == "60")
            #expect(all[0].last?.1.contains("\(Self.sentence) Wait 1 minute, then try again.") == true)
        }
    }

    @Test("who has to wait is told how long, keeps the user name, and gets in when the time is over")
    func waits() async throws {
        try await TestServer.with { server in
            let (browser, ben) = (server.browser(), server.maple.ben)
            for _ in 0..<5 { try await server.signIn(ben.userName, password: "wrong", in: browser) }
            server.fixed.advance(by: 60)
            try await server.signIn(ben.userName, password: "wrong", in: browser)
            let wait = try await server.signIn(ben.userName, in: browser)
            #expect(wait.status == 429)
            #expect(wait["Retry-After"] == "120")
            #expect(wait.body.contains("\(Self.sentence) Wait 2 minutes, then try again."))
            #expect(wait.body.contains(#"value="\#(ben.userName)""#))
            #expect(!wait.body.contains(District.password))
            for (language, sentence) in [("ja", "2分待って"), ("ko", "2분 후에")] {
                let form = try #require(wait.form("/sign-in"))
                let answer = try await browser.send(
                    .POST, "/sign-in",
                    ["Content-Type": "application/x-www-form-urlencoded", "Accept-Language": language],
                    body: Browser.encode(
                        form.fields.merging(["username": ben.userName, "password": "x"]) { $1 }.map { $0 }))
                #expect(answer.body.contains(sentence))
            }
            server.fixed.advance(by: 120)
            #expect(try await server.signIn(ben.userName, in: browser).status == 303)
        }
    }

    @Test("a stranger's guesses lock the account for strangers; who has signed in there before goes in and out")
    func knownBrowser() async throws {
        try await TestServer.with(configure: { $0.tidyingInterval = .milliseconds(10) }) { server in
            let (browser, stranger, ada) = (server.browser(), server.browser(), server.maple.administrator)
            let entered = try await server.signIn(ada.userName, in: browser)
            let cookie = try #require(entered.cookies.first { $0.hasPrefix("__Host-lanyard-known=") })
            for attribute in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=15552000"] {
                #expect(cookie.contains(attribute), "\(attribute)")
            }
            let home = try await browser.get("/account")
            try await browser.submit(home.form("/sign-out"))

            while try await state(of: ada, server) != .locked {
                let answer = try await server.signIn(ada.userName, password: "wrong", in: stranger)
                if let wait = answer["Retry-After"].flatMap(TimeInterval.init) { server.fixed.advance(by: wait) }
            }
            #expect(try await server.signIn(ada.userName, in: stranger).status == 429)
            let old = browser.cookies
            let again = try await server.signIn(ada.userName, in: browser)
            #expect(again.status == 303)
            #expect(try await browser.follow(again).body.contains("Ada Admin"))
            // The cookie alone signs nobody in, and each sign-in replaces it.
            #expect(browser.cookies["__Host-lanyard-known"] != old["__Host-lanyard-known"])
            stranger.cookies["__Host-lanyard-known"] = browser.cookies["__Host-lanyard-known"]
            #expect(try await server.signIn(ada.userName, password: "wrong", in: stranger).status == 422)
            stranger.cookies["__Host-lanyard-known"] = old["__Host-lanyard-known"]
            #expect(try await server.signIn(ada.userName, in: stranger).status == 429)
            #expect(try await state(of: ada, server) == .locked)

            let told = try await server.audit(of: server.maple.organization.id)
            #expect(told.filter { $0.hasPrefix("account.paused refused wrong password") }.count == 1)
            #expect(told.filter { $0.hasPrefix("account.locked refused wrong password") }.count == 1)

            // Half an hour later the server itself makes the account active.
            server.fixed.advance(by: 1_800)
            while try await state(of: ada, server) != .active { await Task.yield() }
            #expect(try await server.signIn(ada.userName, in: server.browser()).status == 303)
        }
    }

    private func state(of person: Person, _ server: TestServer) async throws -> Person.State? {
        try await server.database.read { try Person.find(person.id, in: $0)?.state }
    }

    @Test("wrong guesses end no session of who is signed in already, and the app still sees who is locked")
    func goesOn() async throws {
        try await TestServer.with { server in
            let (browser, stranger) = (server.browser(), server.browser())
            let tokens = try await server.connect()
            let page = try await server.openConsent(server.rival, as: server.maple.administrator, in: browser)
            // Both in the same pauses: the request and the token last an hour.
            let people = [server.maple.administrator, server.maple.ben]
            while try await state(of: people[1], server) != .locked {
                var wait: TimeInterval = 0
                for person in people {
                    let answer = try await server.signIn(person.userName, password: "wrong", in: stranger)
                    wait = max(wait, answer["Retry-After"].flatMap(TimeInterval.init) ?? 0)
                }
                server.fixed.advance(by: wait)
            }
            #expect(try await state(of: people[0], server) == .locked)
            #expect(try await server.signIn("ben@maple.example", in: stranger).status == 429)
            // The sign-in is a while ago by now, so whoever decides for all shows once more who they are.
            let asked = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(asked.location.hasPrefix("/confirm?"))
            let confirmed = try await browser.submit(
                browser.get(asked.location).form("/confirm"), ["current_password": District.password])
            let allowed = try await browser.submit(
                browser.get(confirmed.location).form("/connect/"), ["decision": "allow"])
            #expect(allowed.redirectParameters["code"] != nil)
            #expect(try await server.roster("/users", tokens).body.contains("Ben"))
        }
    }

    @Test("an address that tried one password on everybody waits, another one does not")
    func addresses() async throws {
        try await TestServer.with(
            studentCount: 10, configure: { $0.wrongPasswords.burst = 5 }
        ) { server in
            func signIn(_ name: String, _ password: String, from address: String) async throws -> Answer {
                let browser = server.browser()
                let form = try #require(try await browser.get("/sign-in").form("/sign-in"))
                return try await browser.send(
                    .POST, "/sign-in",
                    ["Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": address],
                    body: Browser.encode(
                        form.fields.merging(["username": name, "password": password]) { $1 }.map { $0 }))
            }
            // The /64 of a household counts as one.
            for index in 0..<5 {
                #expect(try await signIn("nobody\(index)", "1234", from: "2001:db8::\(index)").status == 422)
            }
            let ben = server.maple.ben.userName
            let wait = try await signIn(ben, District.password, from: "2001:db8::77")
            #expect(wait.status == 429)
            #expect(wait["Retry-After"] == "30")
            #expect(wait.body.contains(Self.sentence))
            #expect(try await signIn(ben, District.password, from: "2001:db8:0:1::77").status == 303)
            server.fixed.advance(by: 30)
            #expect(try await signIn(ben, District.password, from: "2001:db8::77").status == 303)
        }
    }

    @Test("an address that tries many codes of devices waits, too")
    func deviceCodes() async throws {
        try await TestServer.with(configure: { $0.wrongPasswords.burst = 4 }) { server in
            let browser = server.browser()
            var statuses: [Int] = []
            for index in 0..<5 {
                let form = try await browser.get("/device").form("/device")
                let answer = try await browser.submit(form, ["user_code": "WRONG-\(index)"])
                statuses.append(answer.status)
                if answer.status == 429 {
                    #expect(answer["Retry-After"] == "30")
                    #expect(answer.body.contains("There were too many tries."))
                }
            }
            #expect(statuses == [422, 422, 422, 422, 429])
            // Signing in has a budget of its own.
            #expect(try await server.signIn("ben@maple.example", in: browser).status == 303)
        }
    }

    @Test("when more sign in than can be checked, the page keeps the name, says so, and counts nothing")
    func busy() async throws {
        try await TestServer.with(hasher: { PasswordHasher(width: 1, waitingMax: 1, surroundings: $0) }) { server in
            let browser = server.browser()
            let form = try #require(try await browser.get("/sign-in").form("/sign-in"))
            let answers = await concurrently(0..<20) { index in
                try? await browser.submit(form, ["username": "nobody\(index)", "password": "x"])
            }
            let busy = answers.compactMap { $0 }.filter { $0.status == 503 }
            #expect(!busy.isEmpty)
            #expect(answers.contains { $0?.status == 422 })
            for answer in busy {
                #expect(answer["Retry-After"] == "30")
                #expect(answer.body.contains(#"value="nobody"#))
            }
        }
    }
}
