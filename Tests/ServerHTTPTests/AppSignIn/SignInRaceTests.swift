import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// Races that real networks make, and thieves.
@Suite struct SignInRaceTests {
    @Test("of a hundred redemptions of one code at once, exactly one gets tokens", arguments: TestDatabase.available)
    func code(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let code = try await server.signInCode(as: server.maple.nadia)
            let answers = await concurrently(0..<100) { _ in try? await server.redeemSignIn(code) }
            #expect(answers.compactMap { $0?.status }.sorted() == [200] + Array(repeating: 400, count: 99))
            let errors = Set(answers.compactMap { $0?.error })
            #expect(errors == ["invalid_grant"])
            #expect(try await server.count("access_grant") == 1)
        }
    }

    @Test(
        "of twenty refreshes with one token at once, exactly one gets tokens, and what it gave is over",
        arguments: TestDatabase.available)
    func rotation(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let standard = try await StandardClient.public(on: server)
            let tokens = try await standard.tokens(as: server.maple.nadia, scope: "openid offline_access")
            let answers = await concurrently(0..<20) { _ in try? await standard.refresh(tokens.refresh) }
            let good = answers.compactMap { $0 }.filter { $0.status == 200 }
            #expect(good.count == 1)
            #expect(answers.compactMap { $0?.status }.sorted() == [200] + Array(repeating: 400, count: 19))
            let next = try TestServer.tokens(try #require(good.first))
            #expect(try await standard.refresh(next.refresh).error == "invalid_grant")
            #expect(try await standard.userInfo(next.access).status == 401)
        }
    }

    @Test("of ten devices that ask with one code at once, one gets tokens", arguments: TestDatabase.available)
    func device(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let standard = try await StandardClient.public(on: server)
            let device = try await standard.startDevice()
            try await standard.approve(device, as: server.maple.nadia)
            let answers = await concurrently(0..<10) { _ in try? await standard.poll(device) }
            #expect(answers.compactMap { $0?.status }.count { $0 == 200 } == 1)
            #expect(answers.compactMap { $0?.status }.count { $0 == 400 } == 9)
        }
    }

    @Test("the welcome names what the tokens will say, also if the app does not ask for it this time")
    func welcome() async throws {
        try await TestServer.with { server in
            for person in try await server.kinds().all {
                let browser = server.browser()
                _ = try await server.tokens(as: person)
                _ = try await server.signIn(person.userName, in: browser)
                let page = try await server.open(server.signInPath(server.quizzler, scope: ""), as: person, in: browser)
                #expect(page.heading == "Continue to Quizzler")
                #expect(page.body.contains("No name, no email address") == false)
                let code = try await server.proceed(page, as: person, in: browser).carried?["code"]
                let tokens = try TestServer.tokens(try await server.redeemSignIn(try #require(code)))
                let keys = try await browser.get("/auth/keys")
                let claims = try await SignedToken.verify(tokens.identity, with: keys).claims
                #expect(claims["email"] as? String == person.email)
                if let email = person.email { #expect(page.body.contains(email)) }
                // A standard client gets what it asks for each time.
                let standard = try await server.open(
                    server.standardPath(server.quizzler, ["prompt": "select_account"]), as: person, in: browser)
                #expect(standard.body.contains("No name, no email address"))
            }
        }
    }

    @Test("pressing Continue twice gives a code in place of the first; after it was redeemed the request is over")
    func continueTwice() async throws {
        try await TestServer.with { server in
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let page = try await server.open(server.signInPath(server.quizzler), as: nadia, in: browser)
            let first = try await server.proceed(page, as: nadia, in: browser).carried ?? [:]
            let second = try await server.proceed(page, as: nadia, in: browser).carried ?? [:]
            #expect(second["user"] == first["user"])
            #expect(try await server.redeemSignIn(first["code"] ?? "").error == "invalid_grant")
            #expect(try await server.redeemSignIn(second["code"] ?? "").status == 200)
            #expect(try await server.proceed(page, as: nadia, in: browser).heading == "This page has expired")
        }
    }
}
