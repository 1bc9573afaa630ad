@testable import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct AccessRuleTests {
    private func rule(_ server: AuthorizationServer) async throws -> AccessRule {
        let organization = server.school.organization.id
        return try await server.database.read { try AccessRule.find(.dataSharing, of: organization, in: $0) }
    }

    @Test(
        "an organization that has decided nothing lets in only what it lists, and that is nothing",
        arguments: TestDatabase.available)
    func initial(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await School.insert(in: database, server.fixed, name: "Oak").organization
            let app = server.registered.app
            let (rule, decision) = try await database.read {
                (
                    try AccessRule.find(.dataSharing, of: other.id, in: $0),
                    try DataSharingAccess.decide(app: app, organization: other, in: $0)
                )
            }
            #expect(rule == .initial(.dataSharing))
            #expect(decision == .refused(.appNotListed(ruleVersion: 0)))
        }
    }

    @Test(
        "each change is counted and audited, and the list survives a change of mode", arguments: TestDatabase.available)
    func changes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let app = server.registered.app.id
            let listed = try await rule(server)
            #expect(listed == AccessRule(mode: .allowOnlyListedApps, version: 1, listed: [app], sandboxTeam: nil))
            for change in [.mode(.allowAllApps), .list(app), .mode(.allowOnlyListedApps)] as [AccessRule.Change] {
                try await server.change(change)
            }
            let back = try await rule(server)
            #expect(back == AccessRule(mode: .allowOnlyListedApps, version: 4, listed: [app], sandboxTeam: nil))
            try await server.change(.unlist(app))
            let empty = try await rule(server)
            #expect(empty == AccessRule(mode: .allowOnlyListedApps, version: 5, listed: [], sandboxTeam: nil))
            let details = try await server.school.auditRecords().filter { $0.action == "access-rule.changed" }.map(
                \.detail)
            #expect(
                details == [
                    "listed app:\(app.rawValue)", "mode allow_all_apps", "listed app:\(app.rawValue)",
                    "mode allow_only_listed_apps",
                    "removed app:\(app.rawValue)",
                ])
        }
    }

    @Test(
        "a change acts on the next call: forbidden while the app is off the list, good again when it is back",
        arguments: TestDatabase.available)
    func nextCall(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (token, app) = (try await server.exchange().accessToken, server.registered.app.id)
            for (change, isOpen) in [
                (.unlist(app), false), (.list(app), true), (.unlist(app), false), (.mode(.allowAllApps), true),
                (.mode(.allowOnlyListedApps), false),
            ] as [(AccessRule.Change, Bool)] {
                try await server.change(change)
                let refused = await rosterRefusal { try await server.access(with: token) }
                #expect((refused == nil) == isOpen, "\(change)")
                if case .invalidToken = refused { Issue.record("the token itself is good") }
            }
        }
    }

    @Test("a removed app reads nothing, and the test school asks no organization", arguments: TestDatabase.available)
    func removed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let synthetic = try await School.insert(in: database, server.fixed, name: "Test School", isSynthetic: true)
                .organization
            let app = server.registered.app.id
            let before = try await database.read {
                try DataSharingAccess.decide(
                    app: try #require(try App.find(app, in: $0)), organization: synthetic, in: $0)
            }
            #expect(before == .allowed)
            try await database.write { try $0.execute("UPDATE app SET removed_at = 1") }
            for organization in [synthetic, server.school.organization] {
                let after = try await database.read {
                    try DataSharingAccess.decide(
                        app: try #require(try App.find(app, in: $0)), organization: organization, in: $0)
                }
                #expect(after == .refused(.appRemoved))
            }
        }
    }
}
