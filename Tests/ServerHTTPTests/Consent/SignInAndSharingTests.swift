import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// The two lists of an organization together: docs/specifications/roster-api.md, 9.
@Suite struct SignInAndSharingTests {
    @Test("the decision table: who may sign in, and what a roster call gives", arguments: TestDatabase.available)
    func decisions(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (quizzler, organization) = (server.quizzler, server.maple.organization.id)
            let (app, now, nadia) = (quizzler.app.id, server.fixed.now, server.maple.nadia)
            let roster = try await server.connect()
            func share(_ change: AccessRule.Change) async throws {
                try await server.database.write {
                    try AccessRule.apply(
                        change, to: organization, purpose: .dataSharing, by: .operator, from: .commandLine, at: now,
                        in: $0)
                }
            }
            func signsIn(_ maySignIn: Bool, _ row: String) async throws {
                let answer = try await server.answer(server.signInPath(quizzler), as: nadia)
                #expect(answer.status == (maySignIn ? 200 : 403), "\(row)")
                #expect((answer.carried?["code"] != nil) == maySignIn, "\(row)")
            }
            for isListedForSignIn in [nil, true, false] as [Bool?] {
                try await server.changeSignIn(
                    .mode(isListedForSignIn == nil ? .allowAllApps : .allowOnlyListedApps),
                    isListedForSignIn == true ? .list(app) : .unlist(app))
                for isListedForSharing in [nil, true, false] as [Bool?] {
                    try await share(.mode(isListedForSharing == nil ? .allowAllApps : .allowOnlyListedApps))
                    try await share(isListedForSharing == true ? .list(app) : .unlist(app))
                    let maySignIn = isListedForSignIn ?? true
                    let mayRead = maySignIn && isListedForSharing ?? true
                    let row = "\(String(describing: isListedForSignIn)) \(String(describing: isListedForSharing))"
                    try await signsIn(maySignIn, row)
                    #expect(try await server.roster("/users", roster).status == (mayRead ? 200 : 403), "\(row)")
                    // Tokens promise nothing that a call would refuse.
                    if maySignIn {
                        let claims = try await server.verified(try await server.tokens(as: nadia).identity).claims
                        #expect((claims["scopes"] != nil) == mayRead, "\(row)")
                    }
                    // Nor does an administrator get to allow what signing in forbids.
                    let page = try await server.openConsent(
                        quizzler, as: server.maple.administrator, in: server.browser())
                    #expect(
                        (page.form("/connect/", with: "csrf_token") != nil && page.status == 200) == mayRead, "\(row)")
                    // Who is refused is told on which of the two lists the app is missing.
                    let list = maySignIn ? "list for Organizational Data Sharing" : "list for Sign in with Lanyard"
                    #expect(page.body.contains(list) == !mayRead, "\(row)")
                }
            }
            // Birch has not decided anything about signing in.
            #expect(
                try await server.answer(
                    server.signInPath(quizzler), as: server.scene.birch.nadia
                ).carried?["code"] != nil)
            try await server.changeSignIn(.mode(.allowAllApps))
            try await share(.mode(.allowAllApps))
            try await server.revokeConsent(quizzler, by: server.maple.administrator, in: organization)
            try await signsIn(true, "both lists are open again")
            #expect(try await server.roster("/users", roster).status == 401)
            #expect(try await server.refresh(roster.refresh, quizzler).error == "invalid_grant")
        }
    }

    @Test("who is the owner of their account is no organization's concern")
    func personal() async throws {
        try await TestServer.with { server in
            let maria = try await server.addPersonal()
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let tokens = try await server.tokens(as: maria)
            #expect(try await server.refreshSignIn(tokens.refresh).status == 200)
        }
    }
}
