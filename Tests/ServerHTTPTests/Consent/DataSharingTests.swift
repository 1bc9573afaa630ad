import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What an organization's decisions do to the very next call.
@Suite struct DataSharingTests {
    @Test(
        "removing a consented app from the list: the very next call is 403; back on it: 200",
        arguments: TestDatabase.available)
    func list(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (tokens, organization) = (try await server.connect(), server.maple.organization.id)
            for _ in 0..<2 {
                #expect(try await server.roster("/users", tokens).status == 200)
                try await server.quizzler.list(in: organization, false, of: server.database, at: server.fixed.now)
                let refused = try await server.roster("/users", tokens)
                #expect(refused.status == 403)
                #expect(refused.error == "forbidden")
                try await server.quizzler.list(in: organization, of: server.database, at: server.fixed.now)
            }
            #expect(try await server.roster("/users", tokens).status == 200)
            let reasons = server.log.lines.compactMap { $0.metadata["reason"] }
            #expect(reasons.first == "the app is not on the organization's list (rule version 3)")
        }
    }

    @Test("with all apps allowed none has to be listed, and the mode acts at once", arguments: TestDatabase.available)
    func modes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (tokens, organization, now) = (
                try await server.connect(), server.maple.organization.id, server.fixed.now
            )
            try await server.quizzler.list(in: organization, false, of: server.database, at: now)
            func set(_ mode: AccessRule.Mode) async throws {
                try await server.database.write {
                    try AccessRule.apply(
                        .mode(mode), to: organization, purpose: .dataSharing, by: .operator, from: .commandLine,
                        at: now, in: $0)
                }
            }
            #expect(try await server.roster("/users", tokens).status == 403)
            try await set(.allowAllApps)
            #expect(try await server.roster("/users", tokens).status == 200)
            try await set(.allowOnlyListedApps)
            #expect(try await server.roster("/users", tokens).status == 403)
        }
    }

    @Test(
        "revoked: access tokens are 401, refresh is invalid_grant, and the history says who and when",
        arguments: TestDatabase.available)
    func revoked(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (first, second) = (try await server.connect(), try await server.connect())
            let birch = try await server.connect(as: server.scene.birch.administrator)
            let pending = try await server.code(server.quizzler)
            server.fixed.advance(by: 100)
            try await server.revokeConsent(
                server.quizzler, by: server.maple.siteManager, in: server.maple.organization.id)
            for tokens in [first, second] {
                #expect(try await server.roster("/users", tokens).status == 401)
                #expect(
                    try await server.refresh(tokens.refresh, server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            }
            #expect(try await server.redeem(pending, server.quizzler).line == #"400 {"error":"invalid_grant"}"#)
            #expect(try await server.roster("/users", birch).status == 200)

            let third = try await server.connect()
            #expect(try await server.roster("/users", third).status == 200)
            #expect(try await server.roster("/users", first).status == 401)

            let organization = server.maple.organization.id
            let history = try await server.database.read { try Consent.list(of: organization, in: $0) }
            #expect(history.count == 2)
            #expect(history.map { $0.revokedAt != nil } == [true, false])
            #expect(history[0].revokedAt == server.fixed.now)
            let events = try await server.database.read {
                try AuditRecord.page(of: organization, after: 0, limit: 1_000, in: $0)
            }
            let revocation = try #require(events.first { $0.action == "consent.revoked" })
            #expect(revocation.actor == "person:\(server.maple.siteManager.id.rawValue)")
            #expect(revocation.at == server.fixed.now)
            let isWhole = try await server.database.read { try AuditRecord.firstBreak(of: organization, in: $0) } == nil
            #expect(isWhole)
        }
    }

    @Test("the whole connection is in the organization's log, in order")
    func history() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            _ = try await server.roster("/organization", tokens)
            _ = try await server.revoke(tokens.refresh, server.quizzler)
            try await server.revokeConsent(server.quizzler, by: nil, in: server.maple.organization.id)
            #expect(
                try await server.audit(of: server.maple.organization.id).suffix(6) == [
                    "sign-in done", "consent.granted done \(TestServer.bothScopes)",
                    "token.issued done \(TestServer.bothScopes)",
                    "roster.read done organization; scopes \(TestServer.bothScopes)",
                    "token.revoked done", "consent.revoked done \(TestServer.bothScopes)",
                ])
        }
    }

    @Test("a removed app is unknown to the token endpoint, and its tokens open nothing")
    func removedApp() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let (app, now) = (server.quizzler.app.id, server.fixed.now)
            try await server.database.write {
                try $0.execute("UPDATE app SET removed_at = $2 WHERE id = $1", [app, now])
            }
            #expect(try await server.roster("/users", tokens).status == 403)
            #expect(
                try await server.refresh(tokens.refresh, server.quizzler).line == #"400 {"error":"invalid_client"}"#)
            #expect(try await server.browser().get(server.authorizePath(server.quizzler)).status == 400)
        }
    }

    @Test("a business has no roster to share")
    func business() async throws {
        try await TestServer.with { server in
            let organization = server.maple.organization.id
            try await server.database.write {
                try $0.execute("UPDATE organization SET kind = 'business' WHERE id = $1", [organization])
            }
            let page = try await server.openConsent(
                server.quizzler, as: server.maple.administrator, in: server.browser())
            #expect(page.status == 403)
        }
    }
}
