import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Forms, requests and cookies that come from elsewhere, and names that are more than names.
@Suite struct SignInForgeryTests {
    @Test("a form without, or with another browser's, token is refused on every page of signing in to an app")
    func tokens() async throws {
        try await TestServer.with { server in
            let (browser, other, nadia) = (server.browser(), server.browser(), server.maple.nadia)
            let client = try await StandardClient.public(on: server)
            let device = try await client.startDevice()
            let page = try await server.open(server.signInPath(server.quizzler), as: nadia, in: browser)
            try await server.signIn("ben@maple.example", in: other)
            let foreign = try #require(try await other.get("/account").form("/sign-out")?.fields["csrf_token"])
            let own = try #require(page.form("/continue/")?.fields["csrf_token"])
            let before = browser.cookies
            for path in [page.path, "/device", "/oidc/logout/decision"] {
                for token in ["", "x", foreign, own + "A", String(own.dropLast())] {
                    for decision in ["continue", "deny", "sign_out"] {
                        let answer = try await browser.post(
                            path,
                            [
                                "csrf_token": token, "decision": decision, "user_code": device.userCode,
                                "given_name": "A", "family_name": "B", "email_choice": "share",
                            ])
                        #expect(answer.status == 400, "\(path)")
                        #expect(answer.heading == "This page has expired")
                    }
                }
            }
            #expect(browser.cookies == before)
            #expect(try await server.count("sign_in_consent") == 0)
            #expect(try await server.count("authorization_code") == 0)
            #expect(try await client.poll(device).error == "authorization_pending")
            #expect(try await server.proceed(page, as: nadia, in: browser).carried?["code"] != nil)
        }
    }

    @Test("a request that another browser parked opens nothing here, signed in or not")
    func foreignRequest() async throws {
        try await TestServer.with { server in
            let (attacker, victim, nadia) = (server.browser(), server.browser(), server.maple.nadia)
            let parked = try await attacker.get(server.signInPath(server.quizzler)).location
            try await server.signIn(nadia.userName, in: victim)
            for browser in [victim, server.browser()] {
                let page = try await browser.get(parked)
                #expect(page.status == 400)
                #expect(page.heading == "This page has expired")
            }
            let token = try #require(try await victim.get("/account").form("/sign-out")?.fields["csrf_token"])
            for decision in ["continue", "deny"] {
                let answer = try await victim.post(parked, ["csrf_token": token, "decision": decision])
                #expect(answer.status == 400)
                #expect(answer.carried == nil)
            }
            // Nor does a request for a roster open as one for signing in, or the other way round.
            let roster = try await victim.get(server.authorizePath(server.quizzler)).location
            #expect(
                try await victim.get(roster.replacingOccurrences(of: "/connect/", with: "/continue/")).status == 400)
            let own = try await victim.get(server.signInPath(server.quizzler)).location
            #expect(try await victim.get(own.replacingOccurrences(of: "/continue/", with: "/connect/")).status == 400)
        }
    }

    @Test("a session cookie that was planted before is worth nothing after the person has signed in")
    func fixation() async throws {
        try await TestServer.with { server in
            let (attacker, victim, nadia) = (server.browser(), server.browser(), server.maple.nadia)
            let name = "__Host-lanyard-session"
            try await server.signIn("ben@maple.example", in: attacker)
            let planted = try #require(attacker.cookies[name])
            for cookie in [planted, "made-up"] {
                victim.cookies[name] = cookie
                let path = server.signInPath(server.quizzler)
                let page = try await victim.follow(victim.get(path))
                // With the attacker's own session it is the attacker's page, and says whose account it is.
                if cookie == planted { #expect(page.body.contains("Ben Berg")) }
                try await server.signIn(nadia.userName, in: victim)
                #expect(victim.cookies[name] != cookie)
                let thief = server.browser()
                thief.cookies[name] = cookie
                #expect(try await thief.follow(thief.get(path)).form("/sign-in") != nil)
            }
        }
    }

    @Test("no page of signing in to an app can be framed, and forms lead elsewhere only from pages before an app")
    func framing() async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let browser = server.browser()
            let client = try await StandardClient.public(on: server)
            let device = try await client.startDevice()
            let signIn = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            let create = try await browser.follow(server.signIn(nadia.userName, on: signIn, in: browser))
            let carried = try await server.proceed(create, as: nadia, in: browser)
            server.fixed.advance(by: 1)
            let welcome = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            let message = try await server.answer(
                server.signInPath(server.quizzler, ["response_mode": "web_message"]), as: nadia, in: browser)
            let code = try await browser.get("/device")
            let approval = try await client.openDevice(device.userCode, as: nadia, in: browser)
            let done = try await server.proceed(approval, as: nadia, in: browser)
            let logout = try await browser.get("/oidc/logout")
            let failed = try await browser.get("/auth/authorize")
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let blocked = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
            #expect(blocked.status == 403)
            for page in [signIn, create, welcome, blocked, carried, message, code, approval, done, logout, failed] {
                let policy = page["Content-Security-Policy"] ?? ""
                #expect(policy.contains("frame-ancestors 'none'"), "\(page.path)")
                #expect(policy.contains("default-src 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(page["X-Frame-Options"] == "DENY")
                #expect(page["Cache-Control"] == "no-store")
                // With a stricter one the app would see `Origin: null`.
                let isPosted = page.path == carried.path && page.body == carried.body
                #expect(page["Referrer-Policy"] == (isPosted ? "strict-origin" : "same-origin"))
            }
            for page in [signIn, create, welcome, blocked, carried] {
                // The app's address may lead on to others, which browsers hold against the page.
                #expect(page["Content-Security-Policy"]?.contains("form-action") == false, "\(page.path)")
            }
            for page in [code, approval, done, logout, failed] {
                #expect(page["Content-Security-Policy"]?.contains("form-action 'self';") == true, "\(page.path)")
            }
        }
    }

    @Test("script in names of people and apps is text on every page and in every answer")
    func markup() async throws {
        try await TestServer.with { server in
            let evil = "</script><script>alert(1)</script>\"'"
            let maria = try await server.addPersonal(evil, evil)
            let (nadia, organization, app) = (
                server.maple.nadia.id, server.maple.organization.id, server.quizzler.app.id
            )
            try await server.database.write { transaction in
                try transaction.execute("UPDATE person SET given_name = $2 WHERE id = $1", [nadia, evil])
                try transaction.execute("UPDATE organization SET name = $2 WHERE id = $1", [organization, evil])
                try transaction.execute("UPDATE app SET name = $2 WHERE id = $1", [app, evil])
            }
            let client = try await StandardClient.public(on: server)
            for person in [maria, server.maple.nadia] {
                var pages: [Answer] = []
                for mode in ["form_post", "web_message"] {
                    try await server.stopUsing(person)
                    let browser = server.browser()
                    let path = server.signInPath(
                        server.quizzler,
                        ["response_mode": mode, "state": evil, "response_type": "code id_token"])
                    let signIn = try await browser.follow(browser.get(path))
                    let page = try await browser.follow(server.signIn(person.userName, on: signIn, in: browser))
                    let answer = try await server.proceed(page, as: person, in: browser)
                    pages += [signIn, page, answer]
                    if mode == "form_post" {
                        #expect(answer.carried?["state"] == evil)
                        let user =
                            try JSONSerialization.jsonObject(
                                with: Data((answer.carried?["user"] ?? "").utf8)) as? [String: Any]
                        #expect((user?["name"] as? [String: String])?["firstName"] == evil)
                    }
                    server.fixed.advance(by: 1)
                    pages.append(try await browser.follow(browser.get(path)))
                    pages.append(try await browser.get("/oidc/logout?client_id=com.quizzler"))
                    let device = try await client.startDevice(scope: "openid profile")
                    let approval = try await client.openDevice(device.userCode, as: person, in: browser)
                    pages += [approval, try await server.proceed(approval, as: person, in: browser)]
                }
                for page in pages {
                    #expect(page.body.contains("&lt;script&gt;") || !page.body.contains("alert(1)"), "\(page.path)")
                    #expect(!page.body.contains("<script>"), "\(page.path)")
                    #expect(!page.body.contains("</script><"), "\(page.path)")
                }
            }
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let blocked = try await server.open(
                server.signInPath(server.quizzler), as: server.maple.nadia, in: server.browser())
            #expect(blocked.status == 403)
            #expect(!blocked.body.contains("<script>"))
        }
    }

    @Test("names from right to left, with signs that turn them round, and very long ones, arrive as they are")
    func names() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let names = [
                ("فاطمة", "بن‎ علي"), ("שרה", "כהן"), ("Zoë🧑🏽‍🚀", "Ångström"),
                (String(repeating: "x", count: 500), String(repeating: "é", count: 500)),
            ]
            for (index, (given, family)) in names.enumerated() {
                let added = try await server.addPersonal(
                    given, "Family", email: nil, userName: "person\(index)@home.example")
                // The name is stored as it was before such signs were refused.
                let stored = try await server.database.write { transaction in
                    try transaction.execute(
                        "UPDATE person SET family_name = $2 WHERE id = $1",
                        [added.id, family.precomposedStringWithCanonicalMapping])
                    return try Person.find(added.id, in: transaction)
                }
                let person = try #require(stored)
                let browser = server.browser()
                let page = try await server.open(server.signInPath(server.quizzler), as: person, in: browser)
                #expect(page.body.contains(given))
                let fields = try await server.proceed(page, as: person, in: browser).carried ?? [:]
                let user = try JSONSerialization.jsonObject(with: Data((fields["user"] ?? "").utf8)) as? [String: Any]
                #expect(canonical(user) == canonical(["name": ["firstName": given, "lastName": family]]))
                let tokens = try await client.tokens(as: person, scope: "openid profile")
                #expect(try await client.userInfo(tokens.access).json["given_name"] as? String == given)
            }
            // What is longer than any name is not taken: the page comes again, with what was typed.
            let maria = try await server.addPersonal()
            for typed in [String(repeating: "x", count: 1_025), "", "   ", "a\u{0}b", "a\u{202e}b\nc"] {
                let browser = server.browser()
                let page = try await server.open(server.signInPath(server.quizzler), as: maria, in: browser)
                let answer = try await server.proceed(page, as: maria, ["given_name": typed], in: browser)
                #expect([400, 422].contains(answer.status), "\(typed.prefix(10))")
                #expect(answer.carried == nil)
            }
            #expect(try await server.fields(server.signInPath(server.quizzler), as: maria)["code"] != nil)
        }
    }
}
