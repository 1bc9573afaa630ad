import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Which requests of the standard profile are answered at once, and which by a page: every case beside what the app
/// hears that asks for no page (`prompt=none`).
@Suite struct QuietSignInTests {
    /// The page to which a browser comes, and the answer that an app gets if it wants no page.
    private struct Outcome: Equatable {
        let page: String
        let error: String

        static let answer = Outcome(page: "code", error: "code")
        static let signIn = Outcome(page: "sign-in", error: "login_required")
        static let consent = Outcome(page: "Create your Quizzler account", error: "consent_required")
        static let blocked = Outcome(page: "Your account can’t sign in to Quizzler", error: "access_denied")

        static func confirm(_ error: String = "interaction_required") -> Outcome {
            Outcome(page: "Continue to Quizzler", error: error)
        }
    }

    private func outcome(_ path: String, in browser: Browser) async throws -> Outcome {
        let fields = try await browser.get("\(path)&prompt=none").redirectParameters
        let answer = try await browser.get(path)
        let page = try await browser.follow(answer)
        let shown =
            page.redirectParameters["code"] != nil ? "code" : page.form("/sign-in") != nil ? "sign-in" : page.heading
        // An answer without a page comes at once, not by way of another address of the server.
        if shown == "code" { #expect(answer.redirectParameters["code"] != nil) }
        return Outcome(page: shown ?? "", error: fields["code"] == nil ? fields["error"] ?? "" : "code")
    }

    @Test("with a session and a consent there is an answer and no page", arguments: TestDatabase.available)
    func table(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            for person in try await server.kinds().all {
                let browser = server.browser()
                func outcome(
                    _ scope: String = "openid profile", _ changes: [String: String] = [:]
                ) async throws -> Outcome {
                    try await self.outcome(client.path(scope: scope, changes), in: browser)
                }
                #expect(try await outcome() == .signIn)
                try await server.signIn(person.userName, in: browser)
                // The first visit always shows the page.
                #expect(try await outcome() == .consent)
                let tokens = try await client.tokens(as: person, scope: "openid profile", in: browser)
                server.fixed.advance(by: 600)

                #expect(try await outcome() == .answer)
                #expect(try await outcome("openid") == .answer)
                #expect(try await outcome("openid profile offline_access") == .answer)
                #expect(try await outcome("openid", ["response_mode": "fragment"]) == .answer)
                // A scope that the app has not got yet.
                #expect(try await outcome("openid profile email") == .consent)
                // The maximum age of the sign-in.
                #expect(try await outcome("openid", ["max_age": "600"]) == .answer)
                #expect(try await outcome("openid", ["max_age": "599"]) == .signIn)
                // The hint about the person.
                #expect(try await outcome("openid", ["login_hint": person.userName.uppercased()]) == .answer)
                #expect(try await outcome("openid", ["id_token_hint": tokens.identity]) == .answer)
                for other in ["dev@quizzler.example", "nobody", "\(person.userName)x"] {
                    #expect(try await outcome("openid", ["login_hint": other]) == .confirm("login_required"))
                }
                if let email = person.email {
                    #expect(try await outcome("openid", ["login_hint": email]) == .answer)
                }
                // Pages that the app explicitly requests, which contradicts prompt=none.
                for (prompt, page) in [
                    ("login", "sign-in"), ("consent", "Create your Quizzler account"),
                    ("select_account", "Continue to Quizzler"),
                ] {
                    #expect(
                        try await self.outcome(client.path(["prompt": prompt]), in: browser)
                            == Outcome(page: page, error: "invalid_request"), "\(prompt)")
                }
                // The app has another client id: it is the same app.
                #expect(try await self.outcome(server.standardPath(server.grouped()), in: browser) == .answer)
                // The service that we are compatible with shows its page each time.
                let compatible = try await browser.follow(browser.get(server.signInPath(server.quizzler)))
                #expect(compatible.heading == Outcome.consent.page)
                try await server.stopUsing(person)
                #expect(try await outcome() == .consent)
            }
        }
    }

    @Test("an organization, or an app, has each sign-in confirmed", arguments: TestDatabase.available)
    func everyTime(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let (app, organization, kinds) = (server.quizzler.app, server.maple.organization, try await server.kinds())
            func browser(of person: Person) async throws -> Browser {
                let browser = server.browser()
                _ = try await client.tokens(as: person, in: browser)
                return browser
            }
            let (marias, nadias) = (try await browser(of: kinds.maria), try await browser(of: kinds.nadia))
            try await server.database.write { try organization.put(asksEveryTime: true, in: $0) }
            #expect(try await outcome(client.path(), in: marias) == .answer)
            #expect(try await outcome(client.path(), in: nadias) == .confirm())
            // Confirming takes one press.
            let page = try await nadias.follow(nadias.get(client.path()))
            #expect(try await server.proceed(page, as: kinds.nadia, in: nadias).redirectParameters["code"] != nil)
            // Typing the password for the app counts as confirmation.
            let fresh = try await server.open(client.path(), as: kinds.nadia, in: server.browser())
            #expect(fresh.redirectParameters["code"] != nil)

            try await server.database.write { transaction in
                try organization.put(asksEveryTime: false, in: transaction)
                try app.put(asksEveryTime: true, in: transaction)
            }
            for browser in [marias, nadias] { #expect(try await outcome(client.path(), in: browser) == .confirm()) }
            try await server.database.write { try app.put(asksEveryTime: false, in: $0) }
            for browser in [marias, nadias] { #expect(try await outcome(client.path(), in: browser) == .answer) }
        }
    }

    @Test("a rule that was changed keeps people out, and asks them again when it is changed back")
    func changedRule() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let browser = server.browser()
            _ = try await client.tokens(as: server.maple.nadia, in: browser)
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            #expect(try await outcome(client.path(), in: browser).error == Outcome.blocked.error)
            #expect(try await browser.follow(browser.get(client.path())).status == 403)
            try await server.changeSignIn(.mode(.allowAllApps))
            #expect(try await outcome(client.path(), in: browser) == .consent)
        }
    }

    @Test("a native program that keeps no secret is shown each time, in a device's session too")
    func nativePrograms() async throws {
        try await TestServer.with { server in
            let (own, nadia) = ("com.quizzler.app:/callback", server.maple.nadia)
            try await server.put(returnURLs: [
                try ReturnURL(native: "http://127.0.0.1/callback"), try ReturnURL(native: own),
                try ReturnURL(server.quizzler.redirectURI, allowingLoopback: false),
            ])
            let client = try await StandardClient.public(on: server)
            _ = try await client.tokens(as: nadia)
            let (device, id) = try await server.addDevice(for: nadia)
            let (typed, silent) = (server.browser(), server.browser())
            try await server.signIn(nadia.userName, in: typed)
            #expect(try await server.enter(server.assertion(device, id), in: silent).status < 400)
            for browser in [typed, silent] {
                for address in ["http://127.0.0.1:49152/callback", own] {
                    let path = client.path(["redirect_uri": address])
                    #expect(try await outcome(path, in: browser) == .confirm(), "\(address)")
                }
                // Only the app can receive an answer at its own domain.
                #expect(try await outcome(client.path(), in: browser) == .answer)
            }
            // A client that authenticates with a secret.
            _ = try await server.makeSecret()
            let proved = server.standardPath(server.quizzler, ["redirect_uri": own])
            #expect(try await outcome(proved, in: typed) == .answer)
            let organization = server.maple.organization
            try await server.database.write { try organization.put(asksEveryTime: true, in: $0) }
            #expect(try await outcome(server.standardPath(server.quizzler), in: silent) == .confirm())
        }
    }

    @Test("a first password has to be changed before anything else")
    func temporaryPassword() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await client.tokens(as: nadia, in: browser)
            let until = server.fixed.now.addingTimeInterval(86_400)
            try await server.database.write {
                try $0.execute("UPDATE credential SET temporary_until = $2 WHERE person_id = $1", [nadia.id, until])
            }
            let fields = try await browser.get(client.path(["prompt": "none"])).redirectParameters
            #expect(fields["error"] == "interaction_required")
            let page = try await browser.follow(browser.get(client.path()))
            #expect(page.redirectParameters.isEmpty)
            #expect(page.form("/change-password") != nil)
        }
    }
}
