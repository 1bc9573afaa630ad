import Authorization
import Directory
import Fixtures
import Foundation
import HiddenMail
import Mail
import Storage
import TestSupport
import Testing

@testable import TestServers

/// A hidden address ends with the last app that had it, however that ends.
@Suite struct HiddenAddressEndTests {
    private func hide(_ server: TestServer, _ person: Person, _ app: TestApp) async throws -> Tokens {
        let browser = server.browser()
        let page = try await server.open(server.signInPath(app), as: person, in: browser)
        let answer = try await server.proceed(page, as: person, ["email_choice": "hide"], in: browser)
        let code = try #require(answer.carried?["code"])
        return try TestServer.tokens(try await server.redeemSignIn(code, app))
    }

    private func relayAnswer(_ server: TestServer, _ address: String) async throws -> String? {
        try await MailRelay(
            database: server.database, surroundings: server.fixed.surroundings, domain: TestServer.relayDomain,
            verifiersTellFailures: { true }
        ).destination(of: address)
    }

    @Test(
        "whoever shares the own address instead, or ends the app after that, gets nothing by the hidden one",
        arguments: TestDatabase.available)
    func shared(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let maria = try await server.addPersonal()
            _ = try await hide(server, maria, server.quizzler)
            let hidden = try #require(
                try await server.database.read { try HiddenAddress.list(of: maria.id, in: $0) }.first)
            #expect(try await relayAnswer(server, hidden.address) == "maria@home.example")
            let browser = server.browser()
            let path = server.standardPath(server.quizzler, scope: "openid email", ["prompt": "consent"])
            let page = try await server.open(path, as: maria, in: browser)
            #expect(page.body.contains(#"name="email_choice""#))
            _ = try await server.proceed(page, as: maria, ["email_choice": "share"], in: browser)
            #expect(try await relayAnswer(server, hidden.address) == nil)
            // The state in which a version with a defect left the address.
            try await server.database.write { try $0.execute("UPDATE hidden_address SET forwards = 1") }
            try await server.stopUsing(maria)
            #expect(try await relayAnswer(server, hidden.address) == nil)
        }
    }

    @Test(
        "after the app has revoked it, or is removed, mail to it is refused; while another app of the team has it, it goes on",
        arguments: TestDatabase.available)
    func ends(_ kind: TestDatabase) async throws {
        for isRemoved in [false, true] {
            try await TestServer.withMail(on: kind) { server in
                let maria = try await server.addPersonal()
                let sibling = try await TestApp.insert(
                    "com.quizzler.junior", name: "Junior", team: server.quizzler.team,
                    fixed: server.fixed.surroundings, masterKey: server.scene.masterKey, in: server.database)
                func end(_ app: TestApp, _ tokens: Tokens) async throws {
                    let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
                    if isRemoved {
                        try await server.database.write {
                            _ = try app.app.remove(
                                by: .operator, from: .commandLine, at: now, surroundings: surroundings, in: $0)
                        }
                    } else {
                        #expect(try await server.call("/auth/revoke", app, ["token": tokens.refresh]).status == 200)
                    }
                }
                let first = try await hide(server, maria, server.quizzler)
                let second = try await hide(server, maria, sibling)
                let hidden = try #require(
                    try await server.database.read { try HiddenAddress.list(of: maria.id, in: $0) }.first)
                #expect(try await relayAnswer(server, hidden.address) == "maria@home.example")
                try await end(server.quizzler, first)
                #expect(try await relayAnswer(server, hidden.address) == "maria@home.example")
                try await end(sibling, second)
                #expect(try await relayAnswer(server, hidden.address) == nil)
                let told = try await server.audit(of: .none).filter { $0.hasPrefix("email-forwarding") }
                #expect(told == ["email-forwarding.changed done off"])
            }
        }
    }
}
