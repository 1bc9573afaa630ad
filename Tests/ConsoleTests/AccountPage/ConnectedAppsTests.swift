import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// Who decides for an organization sees which apps read about it, and can end that, on their account page.
@Suite struct ConnectedAppsTests {
    private func stopPath(_ app: TestApp) -> String { "/account/connected-apps/\(app.app.id.rawValue)/stop" }

    @Test("an administrator sees the connected apps, and ends one", arguments: TestDatabase.available)
    func stops(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, notificationURL: "https://quizzler.example/notify") { server in
            let tokens = try await server.connect()
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            let before = try await browser.get("/account")
            #expect(before.body.contains("Apps connected to Maple District"))
            #expect(before.body.contains("Reads people and classes"))
            #expect(before.body.contains("<dt>Allowed by</dt><dd><bdi>Ada Admin</bdi></dd>"))
            #expect(before.body.contains("<dt>Last read</dt><dd>Not yet</dd>"))
            #expect(try await server.roster("/users", tokens).status == 200)
            server.fixed.advance(by: 600)
            #expect(try await browser.get("/account").body.contains("<dt>Last read</dt><dd>10 minutes ago</dd>"))

            let page = try await browser.get(stopPath(server.quizzler))
            #expect(page.heading == "Stop sharing with Quizzler?")
            // Nothing has ended yet.
            #expect(try await server.roster("/users", tokens).status == 200)
            let stopped = try await browser.submit(page.form(stopPath(server.quizzler)))
            #expect(stopped.location == "/account?done=stopped-sharing&app=\(server.quizzler.app.id.rawValue)")
            let after = try await browser.follow(stopped)
            #expect(after.body.contains("Quizzler can no longer read anything about Maple District."))
            #expect(after.body.contains("None yet. An app that can be connected sends you here"))
            #expect(try await server.roster("/users", tokens).status == 401)
            #expect(
                try await server.audit(of: server.maple.organization.id).last?.hasPrefix("consent.revoked done") == true
            )
            let (database, maple, ada) = (server.database, server.maple.organization.id, server.maple.administrator.id)
            let consents = try await database.read { try Consent.list(of: maple, in: $0) }
            #expect(consents.map(\.revokedBy) == [ada])
            #expect(try await server.count("notification") == 1)
            // Twice, or with the back button: nothing more happens.
            let again = try await browser.submit(page.form(stopPath(server.quizzler)))
            #expect(again.location == "/account")
            #expect(try await browser.get(stopPath(server.quizzler)).location == "/account")
            #expect(try await server.count("notification") == 1)
        }
    }

    @Test(
        "an administrator renews a consent that ends, and an app that connects anew is renewed too",
        arguments: TestDatabase.available)
    func renews(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            _ = try await server.connect()
            let maple = server.maple.organization.id
            func consent() async throws -> Consent {
                try #require(try await server.database.read { try Consent.list(of: maple, in: $0).last })
            }
            let path = "/account/connected-apps/\(server.quizzler.app.id.rawValue)/renew"
            let browser = server.browser()
            try await server.signIn("ada@maple.example", in: browser)
            #expect(try await !browser.get("/account").body.contains(path))
            #expect(try await browser.get(path).location == "/account", "it has no end")

            let (first, soon) = (try await consent(), CalendarDay(server.fixed.now).adding(days: 10))
            try await server.database.write { transaction in
                try ConsentTerm.year.put(for: maple, in: transaction)
                _ = try first.put(lastDay: soon, in: transaction)
            }
            let year = CalendarDay(server.fixed.now).nextYear
            #expect(try await browser.get("/account").body.contains(path))
            let page = try await browser.get(path)
            #expect(page.heading == "Renew sharing with Quizzler?")
            #expect(try await consent().lastDay == soon, "nothing has changed yet")
            let renewed = try await browser.submit(page.form(path))
            #expect(renewed.location == "/account?done=renewed-sharing&app=\(server.quizzler.app.id.rawValue)")
            let after = try await browser.follow(renewed)
            #expect(after.body.contains("Quizzler goes on reading about Maple District."))
            #expect(try await consent().lastDay == year)
            #expect(try await server.audit(of: maple).last?.hasPrefix("consent.renewed done") == true)
            // Twice, or with the back button: nothing more happens.
            #expect(try await browser.submit(page.form(path)).location == "/account")

            try await server.database.write { _ = try first.put(lastDay: soon, in: $0) }
            let tara = server.browser()
            try await server.signIn("tara@maple.example", in: tara)
            #expect(try await tara.get(path).status == 404)
            let token = try await tara.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            #expect(try await tara.post(path, ["csrf_token": token]).location == "/account")
            #expect(try await consent().lastDay == soon)
            _ = try await server.connect()
            let last = try await consent()
            #expect(last.lastDay == year && last.id == first.id)
        }
    }

    @Test("whoever does not decide sees nothing of it, and ends nothing")
    func others() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            for userName in [
                "tara@maple.example", "paula@maple.example", "nadia@maple.example", "dev@quizzler.example",
                "ada@birch.example",
            ] {
                let browser = server.browser()
                try await server.signIn(userName, in: browser)
                let account = try await browser.get("/account")
                #expect(!account.body.contains(stopPath(server.quizzler)), "\(userName)")
                let isElsewhere = userName.hasSuffix("birch.example")
                #expect(account.body.contains("Apps connected to") == isElsewhere, "\(userName)")
                let page = try await browser.get(stopPath(server.quizzler))
                #expect(isElsewhere ? page.location == "/account" : page.status == 404, "\(userName)")
                let token = account.form("/language")?.fields["csrf_token"] ?? ""
                let posted = try await browser.post(stopPath(server.quizzler), ["csrf_token": token])
                #expect(posted.location == "/account", "\(userName)")
            }
            let stranger = server.browser()
            #expect(try await stranger.get(stopPath(server.quizzler)).location.hasPrefix("/sign-in?continue="))
            let ada = server.browser()
            try await server.signIn("ada@maple.example", in: ada)
            #expect(try await ada.post(stopPath(server.quizzler), ["csrf_token": "x"]).status == 400)
            // A made-up address names no app.
            #expect(try await !ada.get("/account?done=stopped-sharing&app=99").body.contains("can no longer read"))
            #expect(try await server.roster("/users", tokens).status == 200)
        }
    }

    @Test("whoever may not connect an app learns who may")
    func contacts() async throws {
        try await TestServer.with { server in
            let page = try await server.openConsent(
                server.quizzler, as: server.maple.teacher, in: server.browser())
            #expect(page.status == 403)
            #expect(page.body.contains("Whom to ask"))
            #expect(page.body.contains("mailto:ada.admin@maple.example"))
            #expect(!page.body.contains("Paula People"))
            let personal = try await server.openConsent(
                server.quizzler, as: server.scene.developer, in: server.browser())
            #expect(personal.status == 403 && !personal.body.contains("Whom to ask"))
        }
    }

    @Test("only an administrator is shown what comes next")
    func nextSteps() async throws {
        try await TestServer.with { server in
            let (ada, tara) = (server.browser(), server.browser())
            try await server.signIn("ada@maple.example", in: ada)
            try await server.signIn("tara@maple.example", in: tara)
            #expect(try await ada.get("/account/next-steps").heading == "Maple District is set up")
            #expect(try await tara.get("/account/next-steps").location == "/account")
        }
    }
}
