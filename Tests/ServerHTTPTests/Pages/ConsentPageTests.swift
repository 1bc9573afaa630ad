import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What can happen between the consent page and its form.
@Suite struct ConsentPageTests {
    @Test("a session that ended while the page was open: sign in, and see the page again")
    func sessionEnded() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            // As after a new password for the account.
            try await server.database.write { try $0.execute("DELETE FROM browser_session") }
            let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(answer.status == 303)
            #expect(answer.location == page.path)
            let signIn = try await browser.follow(answer)
            #expect(signIn.heading == "Sign in to connect Quizzler")
            let again = try await browser.follow(server.signIn("ada@maple.example", on: signIn, in: browser))
            #expect(again.path == page.path)
            let allowed = try await browser.submit(again.form("/connect/"), ["decision": "allow"])
            #expect(allowed.redirectParameters["code"] != nil)
        }
    }

    @Test("signed out in another tab, the open page allows nothing")
    func signedOut() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            try await browser.submit(page.form("/sign-out"))
            let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(answer.status == 400)
            #expect(answer.heading == "This page has expired")
            #expect(try await browser.get(page.path).heading == "Sign in to connect Quizzler")
        }
    }

    @Test("Allow pressed twice answers twice, and only the last code redeems", arguments: TestDatabase.available)
    func doubleSubmit(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            var codes: [String] = []
            for _ in 0..<2 {
                let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
                codes.append(try #require(answer.redirectParameters["code"]))
            }
            #expect(try await server.redeem(codes[0], server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            #expect(try await server.redeem(codes[1], server.quizzler).status == 200)

            // The back button after the app has used the code.
            for decision in ["allow", "deny"] {
                let late = try await browser.submit(page.form("/connect/"), ["decision": decision])
                #expect(late.status == 400)
                #expect(late.heading == "This page has expired")
                #expect(late.location.isEmpty)
            }
        }
    }

    @Test("Don’t Allow pressed twice answers twice; Allow afterwards does not")
    func deniedTwice() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            for _ in 0..<2 {
                let answer = try await browser.submit(page.form("/connect/"), ["decision": "deny"])
                #expect(answer.redirectParameters["error"] == "access_denied")
            }
            #expect(try await browser.submit(page.form("/connect/"), ["decision": "allow"]).status == 400)
            #expect(try await browser.submit(page.form("/connect/"), ["decision": "maybe"]).status == 400)
        }
    }

    @Test("a page that was open for an hour has expired")
    func expired() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            server.fixed.advance(by: 3_599)
            // The page is still there, once the person has shown again who they are.
            let asked = try await browser.get(page.path)
            #expect(asked.location == "/confirm?continue=\(Browser.escape(page.path))")
            server.fixed.advance(by: 1)
            #expect(try await browser.get(page.path).status == 400)
            let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(answer.heading == "This page has expired")
        }
    }

    @Test("switch account signs out and comes back to the same request")
    func switchAccount() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.teacher, in: browser)
            #expect(page.status == 403)
            let signIn = try await browser.follow(browser.submit(page.form("/sign-out")))
            #expect(signIn.path == page.path)
            let consent = try await browser.follow(server.signIn("ada@maple.example", on: signIn, in: browser))
            #expect(consent.status == 200)
            #expect(try await browser.submit(consent.form("/connect/"), ["decision": "allow"]).status == 302)
        }
    }

    @Test(
        "an app that is not listed gets a page that says so, and works once it is listed",
        arguments: TestDatabase.available)
    func notListed(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, organization) = (server.browser(), server.maple.organization.id)
            try await server.quizzler.list(in: organization, false, of: server.database, at: server.fixed.now)
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            #expect(page.status == 403)
            #expect(page.body.contains("Maple District"))
            let form = try #require(page.form("/connect/"))
            #expect(try await browser.submit(form, ["decision": "allow"]).status == 403)

            try await server.quizzler.list(in: organization, of: server.database, at: server.fixed.now)
            let again = try await browser.get(page.path)
            #expect(again.status == 200)
            let back = try await browser.submit(form)
            #expect(back.redirectParameters == ["error": "access_denied", "state": "n3kP"])
        }
    }

    @Test("a role that was lost while the page was open does not allow any more")
    func roleLost() async throws {
        try await TestServer.with { server in
            let (browser, maple, now) = (server.browser(), server.maple, server.fixed.now)
            let page = try await server.openConsent(server.quizzler, as: maple.siteManager, in: browser)
            try await server.database.write {
                _ = try RoleAssignment(.siteManager, at: nil).delete(for: maple.siteManager.id, at: now, in: $0)
            }
            let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(answer.status == 403)
            #expect(answer.location.isEmpty)
            #expect(!(try await server.audit(of: maple.organization.id)).contains { $0.hasPrefix("consent.granted") })
        }
    }

    @Test("the Site Manager of one school is told for which place the role holds, and shares nothing")
    func rolesPlace() async throws {
        try await TestServer.with { server in
            let (browser, maple, now) = (server.browser(), server.maple, server.fixed.now)
            try await server.database.write {
                _ = try RoleAssignment(.siteManager, at: nil).delete(for: maple.siteManager.id, at: now, in: $0)
                try RoleAssignment(.siteManager, at: maple.high.id).insert(
                    for: maple.siteManager.id, of: maple.organization.id, at: now, in: $0)
            }
            let page = try await server.openConsent(server.quizzler, as: maple.siteManager, in: browser)
            #expect(page.status == 403)
            #expect(page.body.contains("Only an Administrator or Site Manager of all of"))
            #expect(page.body.contains("Your role holds for") && page.body.contains("High School"))
            #expect(page.body.contains("Ada Admin"))
            let answer = try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            #expect(answer.status == 403)
            #expect(answer.location.isEmpty)
        }
    }

    @Test("the page names the app, the organization, the scopes and who decides; a second time what changes")
    func content() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(
                server.quizzler, as: server.maple.administrator, scope: "edu.classes.read", in: browser)
            for text in ["Quizzler", "Maple District", "Ada Admin", "ada@maple.example", "com.quizzler.example"] {
                #expect(page.body.contains(text), "\(text)")
            }
            #expect(!page.body.contains(#"<dl class="change">"#))
            try await browser.submit(page.form("/connect/"), ["decision": "allow"])
            let second = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            #expect(second.body.contains(#"<dl class="change">"#))
        }
    }

    @Test("the language switch comes back to the consent page")
    func language() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let page = try await server.openConsent(server.quizzler, as: server.maple.administrator, in: browser)
            let answer = try await browser.follow(browser.submit(page.form("/language"), ["language": "ja"]))
            #expect(answer.path == page.path)
            #expect(answer["Content-Language"] == "ja")
            // Also from the page that a failed sign-in shows.
            let other = server.browser()
            let signIn = try await other.follow(other.get(server.authorizePath(server.quizzler)))
            let failed = try await server.signIn("ada@maple.example", password: "x", on: signIn, in: other)
            let back = try await other.follow(other.submit(failed.form("/language"), ["language": "ko"]))
            #expect(back.path == signIn.path)
            #expect(back["Content-Language"] == "ko")
        }
    }

    @Test("an organization that is no school is told that only schools share, and of no list")
    func noSchool() async throws {
        try await TestServer.with { server in
            try await server.database.write {
                _ = try $0.execute(
                    "UPDATE organization SET kind = 'business' WHERE id = $1", [server.maple.organization.id])
            }
            let page = try await server.openConsent(
                server.quizzler, as: server.maple.administrator, in: server.browser())
            #expect(page.status == 403)
            #expect(page.body.contains("Only schools share rosters"))
            #expect(!page.body.contains("added to the list"))
        }
    }

    @Test("a personal account is told of no organization")
    func personalAccount() async throws {
        try await TestServer.with { server in
            let page = try await server.openConsent(server.quizzler, as: server.scene.developer, in: server.browser())
            #expect(page.status == 403)
            #expect(page.body.contains("Send this link to an Administrator or Site Manager of the school"))
            #expect(page.body.contains("(Personal account)"))
        }
    }
}
