import Directory
import Fixtures
import Ground
import Storage
import Testing
import TestSupport

@testable import TestServers

/// The one-time link of the first administrator.
@Suite struct InvitationTests {
    private static let input = [
        "given_name": "Ida", "family_name": "Ivarsson", "username": "ida@maple.example", "password": "birch leaf 5",
    ]

    private func invite(_ server: TestServer) async throws -> String {
        let (organization, now, surroundings) = (
            server.maple.organization.id, server.fixed.now, server.fixed.surroundings
        )
        let secret = try await server.database.write {
            try Invitation.insert(to: organization, as: .administrator, at: now, from: surroundings, in: $0)
        }
        return "/invitation/\(secret.text)"
    }

    @Test("the link makes an administrator, signed in, once", arguments: TestDatabase.available)
    func once(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (browser, other, path) = (server.browser(), server.browser(), try await invite(server))
            let (page, sameElsewhere) = (try await browser.get(path), try await other.get(path))
            #expect(page.heading == "Set up Maple District")
            #expect(page["Cross-Origin-Opener-Policy"] == "same-origin")
            let accepted = try await browser.submit(page.form("/invitation/"), Self.input)
            #expect(accepted.location == "/account/next-steps")
            #expect(try await browser.follow(accepted).heading == "Maple District is set up")
            #expect(try await browser.get("/account").body.contains("Ida Ivarsson"))

            let again = try await other.submit(sameElsewhere.form("/invitation/"), Self.input)
            #expect(again.status == 410)
            #expect(try await browser.get(path).status == 410)
            let consent = try await browser.follow(browser.get(server.authorizePath(server.quizzler)))
            let allowed = try await browser.submit(consent.form("/connect/"), ["decision": "allow"])
            #expect(allowed.redirectParameters["code"] != nil)
        }
    }

    @Test("mistakes in the form are shown, keep what was typed, and do not use the link up")
    func mistakes() async throws {
        try await TestServer.with { server in
            let (browser, path) = (server.browser(), try await invite(server))
            let form = try #require(try await browser.get(path).form("/invitation/"))
            for (field, value) in [
                ("given_name", ""), ("given_name", "  "), ("family_name", ""), ("username", ""), ("username", "a b"),
                ("username", "ADA@maple.example"), ("password", "short1"), ("password", "onlyletters"),
                ("given_name", String(repeating: "x", count: 1_025)),
            ] {
                let answer = try await browser.submit(form, Self.input.merging([field: value]) { _, new in new })
                #expect(answer.status == 422, "\(field) “\(value.prefix(20))”")
                #expect(answer.body.contains("Ivarsson") || field == "family_name")
                #expect(!answer.body.contains("birch leaf"))
            }
            #expect(try await browser.submit(form, Self.input).status == 303)
        }
    }

    @Test("the link is good for a day, and a newer one replaces it")
    func expiry() async throws {
        try await TestServer.with { server in
            let (browser, old) = (server.browser(), try await invite(server))
            let page = try await browser.get(old)
            let new = try await invite(server)
            #expect(try await browser.get(old).status == 410)
            #expect(try await browser.submit(page.form("/invitation/"), Self.input).status == 410)
            let newPage = try await browser.get(new)
            server.fixed.advance(by: 86_400)
            #expect(try await browser.get(new).status == 410)
            #expect(
                try await browser.submit(newPage.form("/invitation/"), Self.input).heading
                    == "This link no longer works")
        }
    }
}
