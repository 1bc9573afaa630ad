import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct DeviceSessionTests {
    @Test(arguments: TestDatabase.available)
    func `the device's person is signed in with no password, with the cookie that a sign-in gives`(
        _ kind: TestDatabase
    ) async throws {
        try await TestServer.with(on: kind) { server in
            let nadia = server.maple.nadia
            let (device, id) = try await server.addDevice(for: nadia)
            let browser = server.browser()
            let entered = try await server.enter(try server.assertion(device, id), in: browser)
            #expect(entered.status == 204 && entered.body.isEmpty && entered["Cache-Control"] == "no-store")

            let byPassword = server.browser()
            let signedIn = try await server.signIn(nadia.userName, in: byPassword)
            func attributes(_ answer: Answer) -> [String] {
                answer.cookies.filter { $0.hasPrefix("__Host-lanyard-session=") }
                    .map { $0.split(separator: "; ").dropFirst().sorted().joined(separator: "; ") }
            }
            #expect(attributes(entered).count == 1)
            #expect(attributes(entered) == attributes(signedIn))
            #expect(entered.cookies.count == 1)

            #expect(try await browser.get("/account").body.contains("Nadia Okoye"))
            // For an app that does not know the person yet, the person agrees once; after that no page is shown.
            for path in [server.signInPath(server.quizzler), server.standardPath(server.rival)] {
                let first = try await server.open(path, as: nadia, in: browser)
                #expect(first.form("/continue/") != nil && first.form("/sign-in") == nil)
                _ = try await server.proceed(first, as: nadia, in: browser)
                let second = try await browser.follow(browser.get(path))
                #expect(second.form("/continue/") == nil)
                #expect(second.carried?["code"]?.isEmpty == false)
            }
            // Whoever signed in with a password goes on being asked.
            let asked = try await server.open(server.signInPath(server.quizzler), as: nadia, in: byPassword)
            #expect(asked.form("/continue/") != nil)
            let chosen = try await server.open(
                server.standardPath(server.rival, ["prompt": "select_account"]), as: nadia, in: browser)
            #expect(chosen.form("/continue/") != nil)
        }
    }

    @Test func `an app that the organization does not allow stays blocked for a device`() async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let (device, id) = try await server.addDevice(for: nadia)
            let browser = server.browser()
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            let path = server.signInPath(server.quizzler)
            _ = try await server.proceed(
                try await server.open(path, as: nadia, in: browser), as: nadia, in: browser)
            #expect(try await browser.follow(browser.get(path)).carried?["code"] != nil)
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let blocked = try await browser.follow(browser.get(path))
            #expect(blocked.carried?["code"] == nil)
            #expect(blocked.body.contains("does not allow"))
        }
    }

    @Test func `both forms of the body are read, and nothing else`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            func post(_ type: String?, _ body: String) async throws -> Answer {
                try await server.browser().send(
                    .POST, "/device-session", type.map { ["Content-Type": $0] } ?? [:], body: body)
            }
            #expect(try await post("application/jwt", try server.assertion(device, id)).status == 204)
            #expect(try await post("Application/JWT; x=y", try server.assertion(device, id) + "\n").status == 204)
            #expect(try await post("text/plain", try server.assertion(device, id)).status == 415)
            #expect(try await post(nil, try server.assertion(device, id)).status == 415)
            let form = "application/x-www-form-urlencoded"
            #expect(try await post(form, "").error == "invalid_request")
            #expect(try await post(form, "assertion=").error == "invalid_request")
            #expect(try await post(form, "assertion=%").error == "invalid_request")
            let one = try server.assertion(device, id)
            #expect(try await post(form, "assertion=\(one)&assertion=\(one)").status == 400)
            #expect(try await post(form, "assertion=\(one)").status == 204)
        }
    }

    @Test func `every refusal of an assertion is the same answer, and none sets a cookie`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let (other, otherID) = try await server.addDevice(for: server.maple.ben)
            let used = try server.assertion(device, id)
            #expect(try await server.enter(used).status == 204)
            let replayed = try await server.enter(used)
            let expired = try server.assertion(device, id)
            server.fixed.advance(by: 181)
            let wrong = [
                expired, try server.assertion(device, otherID), try server.assertion(other, id),
                try server.assertion(device, id, ["aud": "\(TestServer.baseURL)/oidc"]),
                try server.assertion(TestDevice(), UUID().uuidString.lowercased()), "nonsense",
            ]
            var answers: Set = [replayed.line]
            for assertion in wrong {
                let answer = try await server.enter(assertion)
                #expect(answer.cookies.isEmpty)
                answers.insert(answer.line)
            }
            #expect(answers.count == 1)
            #expect(answers.first?.hasPrefix(#"401 {"error":"invalid_assertion""#) == true)
            // The log says which check failed.
            let reasons = server.log.lines.filter { $0.message == "refused" }.compactMap { $0.metadata["reason"] }
            #expect(reasons.contains { $0.contains("used before") } && reasons.contains { $0.contains("exp is over") })
        }
    }

    @Test func `who may not sign in hears why`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let nadia = server.maple.nadia
            for (state, error) in [("locked", "account_locked"), ("deactivated", "account_deactivated")] {
                try await server.database.write {
                    try $0.execute("UPDATE person SET state = $2 WHERE id = $1", [nadia.id, state])
                }
                let answer = try await server.enter(try server.assertion(device, id))
                #expect(answer.status == 403 && answer.error == error && answer.cookies.isEmpty)
            }
            try await server.database.write {
                try $0.execute("UPDATE person SET state = 'active' WHERE id = $1", [nadia.id])
            }
            let (hasher, surroundings) = (
                PasswordHasher(cost: .low, surroundings: server.fixed.surroundings), server.fixed.surroundings
            )
            _ = try await PasswordSignIn(database: server.database, hasher: hasher, surroundings: surroundings)
                .issueTemporaryPassword(for: nadia, by: .operator, origin: .commandLine)
            let answer = try await server.enter(try server.assertion(device, id))
            #expect(answer.status == 403 && answer.error == "password_change_required")
        }
    }

    @Test func `apps are told that a key signed the person in, and not that hardware guards it`() async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let (device, id) = try await server.addDevice(for: nadia)
            let client = try await StandardClient.secret(on: server)
            let browser = server.browser()
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            let tokens = try await client.tokens(as: nadia, scope: "openid offline_access", in: browser)
            let claims = try await server.verified(tokens.identity).claims
            #expect(claims["amr"] as? [String] == ["swk"])
            #expect(claims["acr"] as? String == "urn:lanyard:acr:device-key")
            // Refreshed, it is the same sign-in still.
            let refreshed = try TestServer.tokens(try await client.refresh(tokens.refresh))
            #expect(try await server.verified(refreshed.identity).claims["amr"] as? [String] == ["swk"])
        }
    }

    @Test(arguments: [["prompt": "login"], ["max_age": "3600"], ["max_age": "0"], ["prompt": "login consent"]])
    func `where an app wants the person, the device is never enough`(asked: [String: String]) async throws {
        try await TestServer.with { server in
            let nadia = server.maple.nadia
            let (device, id) = try await server.addDevice(for: nadia)
            let client = try await StandardClient.secret(on: server)
            let browser = server.browser()
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            #expect(try await browser.follow(browser.get(client.path())).form("/sign-in") == nil)
            let page = try await browser.follow(browser.get(client.path(asked)))
            #expect(page.form("/sign-in") != nil)
            // Not even when the device signs for it.
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            #expect(try await browser.get(page.path).form("/sign-in") != nil)
            let silent = try await browser.get(client.path(["prompt": "none", "max_age": "3600"]))
            #expect(silent.redirectParameters["error"] == "login_required")
            // With the password the app gets what it asked for.
            let tokens = try await client.tokens(as: nadia, asked, in: browser)
            #expect(try await server.verified(tokens.identity).claims["amr"] as? [String] == ["pwd"])
        }
    }

    @Test(arguments: TestDatabase.available)
    func `a removed device is signed out, and what apps got through it ends with it`(_ kind: TestDatabase) async throws
    {
        try await TestServer.with(on: kind) { server in
            let nadia = server.maple.nadia
            let (device, id) = try await server.addDevice(for: nadia)
            let client = try await StandardClient.secret(on: server)
            let (browser, other) = (server.browser(), server.browser())
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            let through = try await client.tokens(as: nadia, scope: "openid offline_access", in: browser)
            let beside = try await client.tokens(as: nadia, scope: "openid offline_access", in: other)
            let code = try await server.fields(client.path(), as: nadia, in: browser)["code"] ?? ""

            let page = try await other.get("/account")
            #expect(page.body.contains("Devices that sign you in") && page.body.contains("Nadia&#39;s laptop"))
            let removed = try await other.submit(page.form("/account/devices/\(id)/remove"))
            #expect(removed.location == "/account?done=device-removed")
            #expect(try await other.follow(removed).body.contains("The device is removed."))

            #expect(try await browser.get("/account").status == 303)
            #expect(try await other.get("/account").status == 200)
            #expect(try await client.refresh(through.refresh).error == "invalid_grant")
            #expect(try await client.userInfo(through.access).status == 401)
            #expect(try await client.redeem(code).error == "invalid_grant")
            #expect(try await client.refresh(beside.refresh).status == 200)
            #expect(try await server.enter(try server.assertion(device, id)).status == 401)
            let told = try await server.audit(of: server.maple.organization.id)
            #expect(told.contains("device.removed done device:\(id)"))
        }
    }

    @Test func `a device alone connects no app to the organization`() async throws {
        try await TestServer.with { server in
            let administrator = server.maple.administrator
            let (device, id) = try await server.addDevice(for: administrator)
            let browser = server.browser()
            #expect(try await server.enter(try server.assertion(device, id), in: browser).status == 204)
            let asked = try await browser.follow(browser.get(server.authorizePath(server.quizzler)))
            #expect(asked.heading == "Sign in to connect Quizzler")

            let signedIn = try await browser.follow(
                server.signIn(administrator.userName, on: asked, in: browser))
            #expect(signedIn.path.hasPrefix("/connect/") && signedIn.form("/sign-in") == nil)
            // A page that is open is refused too, once the session is one that the device began.
            #expect(try await server.enter(try server.assertion(device, id), in: browser).status == 204)
            let refused = try await browser.submit(signedIn.form("/connect/"), ["decision": "allow"])
            #expect(refused.redirectParameters["code"] == nil)
            #expect(try await browser.get(signedIn.path).heading == "Sign in to connect Quizzler")
        }
    }

    @Test func `what others send wrongly from the same address keeps no device out`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let stranger = server.browser()
            var last: Answer?
            for _ in 0...1_000 { last = try await server.enter("nonsense", in: stranger) }
            #expect(last?.status == 429)
            #expect(try await server.enter(try server.assertion(device, id)).status == 204)
        }
    }

    @Test func `a device never signs in to a personal account`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let maria = try await server.addPersonal()
            // The server has no way to do this, so the test changes the database directly.
            try await server.database.write {
                try $0.execute("UPDATE registered_device SET person_id = $1 WHERE public_id = $2", [maria.id, id])
            }
            let answer = try await server.enter(try server.assertion(device, id))
            #expect(answer.status == 401 && answer.error == "invalid_assertion")
        }
    }
}
