import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// What ends everything that a person has signed in to is told by a number, not by a clock.
@Suite struct SignInVersionTests {
    private func setPassword(of person: Person, at now: Date, on server: TestServer) async throws {
        let hash = try await PasswordHasher(cost: .low, surroundings: server.fixed.surroundings)
            .hash(District.password)
        try await server.database.write {
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: $0)
        }
    }

    @Test(
        "what an app got in the second in which the password changed ends with it, a new sign-in of that second does not",
        arguments: TestDatabase.available)
    func sameSecond(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            let nadia = server.maple.nadia
            let compatible = try await server.tokens(as: nadia)
            let standard = try await client.tokens(as: nadia, scope: "openid offline_access")
            let code = try await server.signInCode(as: nadia)
            let device = try await client.startDevice()
            try await client.approve(device, as: nadia)
            try await setPassword(of: nadia, at: server.fixed.now, on: server)

            #expect(try await server.refreshSignIn(compatible.refresh).error == "invalid_grant")
            #expect(try await client.userInfo(standard.access).status == 401)
            #expect(try await client.refresh(standard.refresh).error == "invalid_grant")
            #expect(try await server.redeemSignIn(code).error == "invalid_grant")
            #expect(try await client.poll(device).error == "invalid_grant")
            let next = try await client.tokens(as: nadia, scope: "openid offline_access")
            #expect(try await client.userInfo(next.access).status == 200)
            #expect(try await client.refresh(next.refresh).status == 200)
        }
    }

    @Test(
        "a password that was changed by a clock ten days ahead keeps nobody out of apps once it is right",
        arguments: TestDatabase.available)
    func clockAhead(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let nadia = server.maple.nadia
            let before = try await server.tokens(as: nadia)
            try await setPassword(of: nadia, at: server.fixed.now.addingTimeInterval(10 * 86_400), on: server)
            let after = try await server.tokens(as: nadia)
            #expect(try await server.refreshSignIn(after.refresh).status == 200)
            #expect(try await server.refreshSignIn(before.refresh).error == "invalid_grant")
        }
    }

    @Test(
        "prompt=login takes no session of the same second, begun before the request",
        arguments: [["prompt": "login"], ["max_age": "0"]])
    func promptLogin(_ changes: [String: String]) async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            _ = try await client.tokens(as: nadia, in: browser)
            // The clock stands still: the session is as old as the request.
            let page = try await browser.follow(browser.get(client.path(changes)))
            let fields = try #require(page.form("/sign-in")?.fields)
            let token = try #require(fields["continue"])
            let forced = try await browser.post(
                token, ["decision": "continue", "csrf_token": fields["csrf_token"] ?? ""])
            #expect(forced.carried?["code"] == nil)
            // A sign-in that was made for something else does not answer this request either.
            try await server.signIn(nadia.userName, in: browser)
            let still = try await browser.get(token)
            #expect(still.form("/sign-in") != nil)
            let answer = try await browser.follow(server.signIn(nadia.userName, on: still, in: browser))
            #expect(answer.carried?["code"] != nil)
        }
    }

    @Test(
        "reactivating an account revives nothing: tokens, codes, approved devices",
        arguments: TestDatabase.available)
    func reactivated(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            let (nadia, browser) = (server.maple.nadia, server.browser())
            let compatible = try await server.tokens(as: nadia)
            let standard = try await client.tokens(as: nadia, scope: "openid offline_access", in: browser)
            let code = try await server.signInCode(as: nadia)
            let device = try await client.startDevice()
            try await client.approve(device, as: nadia)
            #expect(try await browser.get("/account").status == 200)
            let now = server.fixed.now
            try await server.database.write { transaction in
                try nadia.deactivate(at: now, in: transaction)
                try nadia.reactivate(at: now, in: transaction)
            }
            #expect(try await client.userInfo(standard.access).status == 401)
            #expect(try await client.refresh(standard.refresh).error == "invalid_grant")
            #expect(try await server.refreshSignIn(compatible.refresh).error == "invalid_grant")
            #expect(try await server.redeemSignIn(code).error == "invalid_grant")
            #expect(try await client.poll(device).error == "invalid_grant")
            #expect(try await browser.get("/account").status != 200)
            #expect(try await server.redeemSignIn(try await server.signInCode(as: nadia)).status == 200)
        }
    }

    @Test(
        "a roster code is nothing once its administrator was deactivated, and stays so; what was redeemed goes on",
        arguments: TestDatabase.available)
    func rosterCode(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (maple, now) = (server.maple, server.fixed.now)
            try await server.database.write {
                try RoleAssignment(.siteManager, at: nil).insert(
                    for: maple.siteManager.id, of: maple.organization.id, at: now, in: $0)
            }
            let tokens = try await server.connect(as: maple.siteManager)
            let codes = [
                try await server.code(server.quizzler, as: maple.siteManager),
                try await server.code(server.quizzler, as: maple.siteManager),
            ]
            try await server.database.write { try maple.siteManager.deactivate(at: now, in: $0) }
            #expect(try await server.redeem(codes[0], server.quizzler).status == 400)
            try await server.database.write { try maple.siteManager.reactivate(at: now, in: $0) }
            #expect(try await server.redeem(codes[1], server.quizzler).status == 400)
            #expect(try await server.refresh(tokens.refresh, server.quizzler).status == 200)
        }
    }
}
