import ServerHTTP
import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing
@testable import ServerHTTP
@testable import TestServers

/// Apps on the account page, and hidden addresses from the choice to the end.
@Suite struct UsedAppsTests {
    /// A first sign-in with a hidden address.
    private func hide(
        _ server: TestServer, _ person: Person, _ app: TestApp, in browser: Browser
    ) async throws -> [String: String] {
        let page = try await server.open(
            server.signInPath(app, ["response_type": "code id_token", "nonce": "n"]), as: person, in: browser)
        let answer = try await server.proceed(
            page, as: person, ["email_choice": "hide", "family_name": "Haddad"], in: browser)
        return try #require(answer.carried)
    }

    private func notifications(_ server: TestServer) async throws -> [String] {
        try await server.database.read {
            try $0.all("SELECT claims FROM notification ORDER BY id") { try $0[0] as String }
        }.map { $0.firstMatch(of: /"type":"([a-z-]*)"/).map { String($0.1) } ?? "" }
    }

    @Test(
        "an app gets the hidden address in every way in which it asks, and never the own one",
        arguments: TestDatabase.available)
    func hidden(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let (browser, maria) = (server.browser(), try await server.addPersonal())
            let fields = try await hide(server, maria, server.quizzler, in: browser)
            let own = try await server.database.read { try HiddenAddress.list(of: maria.id, in: $0) }
            let address = try #require(own.first?.address)
            #expect(own.count == 1 && address.wholeMatch(of: /[a-z0-9]{10}@relay\.school\.example/) != nil)

            #expect(fields["user"]?.contains(address) == true)
            let direct = try await server.verified(try #require(fields["id_token"])).claims
            let tokens = try TestServer.tokens(try await server.redeemSignIn(try #require(fields["code"])))
            let identity = try await server.verified(tokens.identity).claims
            for claims in [direct, identity] {
                #expect(claims["email"] as? String == address && claims["is_private_email"] as? Bool == true)
                #expect(claims["email_verified"] as? Bool == true)
            }
            #expect(!"\(fields) \(identity)".contains("maria@home.example"))

            // Another app of the team gets the same; one of another team another.
            let rival = try await hide(server, maria, server.rival, in: browser)
            let other = try await server.verified(try #require(rival["id_token"])).claims["email"] as? String
            #expect(other?.hasSuffix("@\(TestServer.relayDomain)") == true && other != address)
            // On return the page says which address it is.
            server.fixed.advance(by: 60)
            let welcome = try await server.open(server.signInPath(server.quizzler), as: maria, in: browser)
            #expect(welcome.body.contains("<dt>Hidden email</dt><dd><bdi>\(address)</bdi></dd>"))
        }
    }

    @Test("without a relay there is nothing to hide behind")
    func withoutRelay() async throws {
        try await TestServer.withMail(configure: { $0.relay = nil }) { server in
            let (browser, maria) = (server.browser(), try await server.addPersonal())
            let page = try await server.open(server.signInPath(server.quizzler), as: maria, in: browser)
            #expect(!page.body.contains("Hide my email"))
            let answer = try await server.proceed(page, as: maria, ["email_choice": "hide"], in: browser)
            #expect(answer.status == 422 && answer.carried == nil)
        }
    }

    @Test("the account page says what each app got, since when, and stops it", arguments: TestDatabase.available)
    func stops(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind, notificationURL: "http://127.0.0.1:1/notifications") { server in
            let (browser, maria) = (server.browser(), try await server.addPersonal())
            let fields = try await hide(server, maria, server.quizzler, in: browser)
            let tokens = try TestServer.tokens(try await server.redeemSignIn(try #require(fields["code"])))
            let hidden = try #require(
                try await server.database.read { try HiddenAddress.list(of: maria.id, in: $0) }.first)
            let page = try await browser.get("/account")
            for text in ["Quizzler", "Since 1 September 2026", "Maria Haddad", hidden.address, "For Quizzler Inc."] {
                #expect(page.body.contains(text), "\(text)")
            }
            // Nobody else's apps can be stopped.
            let stranger = server.browser()
            _ = try await server.signUp(in: stranger)
            let path = try #require(page.link("Stop using Quizzler"))
            #expect(try await stranger.get(path).location == "/account")
            let token = try await stranger.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            #expect(try await stranger.post(path, ["csrf_token": token]).location == "/account")

            let question = try await browser.get(path)
            #expect(question.heading == "Stop using Quizzler with this account?")
            #expect(question.body.contains("Messages to \(hidden.address) are no longer forwarded to you."))
            let stopped = try await browser.submit(question.form(path))
            let after = try await browser.follow(stopped)
            #expect(after.body.contains("You no longer use Quizzler with this account."))
            #expect(after.link("Stop using Quizzler") == nil)
            #expect(after.body.contains("For Quizzler Inc., not forwarded"))
            #expect(try await server.refreshSignIn(tokens.refresh).error == "invalid_grant")
            #expect(try await notifications(server) == ["consent-revoked"])
            #expect(try await server.audit(of: .none).contains { $0.hasPrefix("app.sign-in-ended done") })
            // The notice names no app that the person never used.
            let made = try await stranger.get("/account?done=stopped&app=\(server.quizzler.app.id.rawValue)")
            #expect(!made.body.contains("Quizzler"))

            // The next sign-in is like the first one, but with the same address, which forwards again.
            server.fixed.advance(by: 60)
            let again = try await hide(server, maria, server.quizzler, in: browser)
            #expect(again["user"]?.contains(hidden.address) == true)
            let now = try await server.database.read { try HiddenAddress.find(hidden.id, in: $0) }
            #expect(now?.forwards == true)
        }
    }

    @Test(
        "forwarding is switched by its owner, and the apps that have the address are told",
        arguments: TestDatabase.available)
    func forwarding(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind, notificationURL: "http://127.0.0.1:1/notifications") { server in
            let (browser, maria) = (server.browser(), try await server.addPersonal())
            _ = try await hide(server, maria, server.quizzler, in: browser)
            let form = try #require(try await browser.get("/account").form("/account/hidden-addresses/"))
            let off = try await browser.submit(form, ["forwarding": "off"])
            #expect(off.location == "/account?done=forwarding-off")
            #expect(try await browser.follow(off).body.contains("no longer forwarded"))
            // A second time changes nothing, and tells nobody.
            try await browser.submit(form, ["forwarding": "off"])
            #expect(try await notifications(server) == ["email-disabled"])
            #expect(try await browser.submit(form, ["forwarding": "maybe"]).status == 400)

            let stranger = server.browser()
            _ = try await server.signUp(in: stranger)
            let token = try await stranger.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            #expect(try await stranger.post(form.action, ["csrf_token": token, "forwarding": "on"]).status == 404)
            #expect(try await notifications(server) == ["email-disabled"])

            try await browser.submit(form, ["forwarding": "on"])
            #expect(try await notifications(server) == ["email-disabled", "email-enabled"])
            let told = try await server.audit(of: .none).filter { $0.hasPrefix("email-forwarding") }
            #expect(told == ["email-forwarding.changed done off", "email-forwarding.changed done on"])
        }
    }

    @Test("of a managed account the page says what the app got, and nothing is hidden")
    func managed() async throws {
        try await TestServer.withMail { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let page = try await server.open(server.signInPath(server.quizzler), as: nadia, in: browser)
            // A forged choice is not taken.
            let answer = try await server.proceed(page, as: nadia, ["email_choice": "hide"], in: browser)
            #expect(answer.carried?["user"]?.contains(nadia.email ?? "-") == true)
            let account = try await browser.get("/account")
            #expect(account.link("Stop using Quizzler") != nil && account.body.contains(nadia.email ?? "-"))
            #expect(!account.body.contains("Hidden email"))
        }
    }
}
