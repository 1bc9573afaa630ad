import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// An app moves from one team to another: transfer identifiers, and what programs on devices are told.
/// docs/specifications/sign-in.md, 7.
@Suite struct UserMigrationTests {
    /// Quizzler, with a key of the rival's team.
    private func receiving(_ server: TestServer) -> TestApp {
        TestApp(
            team: server.rival.team, app: server.quizzler.app, keyID: server.rival.keyID,
            privateKey: server.rival.privateKey, clientID: server.quizzler.clientID,
            redirectURI: server.quizzler.redirectURI)
    }

    private func transfer(_ server: TestServer) async throws {
        let (app, team, now) = (server.quizzler.app, server.rival.team, server.fixed.now)
        let surroundings = server.fixed.surroundings
        try await server.database.write {
            try app.transfer(
                to: team, at: now, surroundings: surroundings, in: $0)
        }
    }

    private func appToken(_ app: TestApp, on server: TestServer) async throws -> Answer {
        try await server.call(
            "/auth/token", app, ["grant_type": "client_credentials", "scope": "user.migration"])
    }

    private func bearer(_ app: TestApp, on server: TestServer) async throws -> String {
        try await appToken(app, on: server).json["access_token"] as? String ?? ""
    }

    private func migrate(
        _ app: TestApp, _ fields: [String: String], bearer: String, on server: TestServer
    ) async throws -> Answer {
        try await server.call("/auth/usermigrationinfo", app, fields, bearer: bearer)
    }

    private func state(_ user: String, clientID: String = "com.quizzler", on server: TestServer) async throws -> String
    {
        try await server.browser().post("/auth/credentialstate", ["client_id": clientID, "user": user]).body
    }

    @Test("both teams get and read the same transfer identifier, for 60 days", arguments: TestDatabase.available)
    func whole(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (sending, receiving) = (server.quizzler, receiving(server))
            for person in try await server.kinds().all {
                let tokens = try await server.tokens(as: person)
                let old = try await server.verified(tokens.identity).claims["sub"] as? String ?? ""
                #expect(try await state(old, on: server) == #"{"state":"authorized"}"#)

                let answer = try await appToken(sending, on: server)
                #expect(answer.status == 200)
                #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in"])
                let target = ["sub": old, "target": server.rival.team.publicID]
                var bearer = try await bearer(sending, on: server)
                let before = try await migrate(sending, target, bearer: bearer, on: server)
                #expect(Set(before.json.keys) == ["transfer_sub"])
                let transferSub = before.json["transfer_sub"] as? String ?? ""
                #expect(transferSub.count == old.count)
                #expect(transferSub != old)
                // An access token of the person works as well.
                #expect(try await migrate(sending, target, bearer: tokens.access, on: server).line == before.line)

                server.fixed.advance(by: 60)
                try await transfer(server)
                // The former team still can, and gets the same.
                bearer = try await self.bearer(sending, on: server)
                #expect(try await migrate(sending, target, bearer: bearer, on: server).line == before.line)
                // It can do nothing else any more.
                #expect(try await server.refreshSignIn(tokens.refresh).error == "invalid_client")

                let refreshed = try TestServer.tokens(try await server.refreshSignIn(tokens.refresh, receiving))
                let claims = try await server.verified(refreshed.identity).claims
                let new = claims["sub"] as? String ?? ""
                #expect(new != old)
                #expect(claims["transfer_sub"] as? String == transferSub)
                let newBearer = try await self.bearer(receiving, on: server)
                let read = try await migrate(receiving, ["transfer_sub": transferSub], bearer: newBearer, on: server)
                #expect(read.line == #"200 {"sub":"\#(new)"}"#)
                #expect(try await state(old, on: server) == #"{"state":"transferred"}"#)
                #expect(try await state(new, on: server) == #"{"state":"authorized"}"#)

                // A person who comes after the transfer was never known to the former team.
                let later = try await server.addPersonal(
                    "Late", "Comer", userName: "late\(person.id.rawValue)@home.example")
                server.fixed.advance(by: 1)
                let code = try await server.signInCode(receiving, as: later)
                let late = try TestServer.tokens(try await server.redeemSignIn(code, receiving))
                #expect(try await server.verified(late.identity).claims["transfer_sub"] == nil)

                server.fixed.advance(by: 60 * 86_400 - 2)
                let last = try TestServer.tokens(try await server.refreshSignIn(tokens.refresh, receiving))
                #expect(try await server.verified(last.identity).claims["transfer_sub"] as? String == transferSub)
                server.fixed.advance(by: 1)
                let over = try TestServer.tokens(try await server.refreshSignIn(tokens.refresh, receiving))
                #expect(try await server.verified(over.identity).claims["transfer_sub"] == nil)
                #expect(
                    try await migrate(
                        receiving, ["transfer_sub": transferSub], bearer: try await self.bearer(receiving, on: server),
                        on: server
                    ).line == #"400 {"error":"invalid_request"}"#)
                #expect(try await appToken(sending, on: server).line == #"400 {"error":"invalid_client"}"#)
                #expect(try await state(old, on: server) == #"{"state":"notFound"}"#)

                // Back again, for the next one.
                let (app, team, now) = (server.quizzler.app.id, server.quizzler.team, server.fixed.now)
                let surroundings = server.fixed.surroundings
                try await server.database.write { transaction in
                    try App.find(app, in: transaction)?.transfer(
                        to: team, at: now, surroundings: surroundings, in: transaction)
                    try transaction.execute("DELETE FROM app_transfer")
                }
            }
        }
    }

    @Test(
        "an app that goes to another team keeps the hidden address until that has one, in every place that tells it",
        arguments: TestDatabase.available)
    func hiddenAddress(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind, notificationURL: "http://127.0.0.1:1/notifications") { server in
            let (receiving, browser) = (receiving(server), server.browser())
            let (maria, ana) = (
                try await server.addPersonal(),
                try await server.addPersonal("Ana", "Ruiz", email: "ana@home.example", userName: "ana@home.example")
            )
            func hide(_ person: Person, _ app: TestApp, in browser: Browser) async throws -> Tokens {
                let page = try await server.open(server.signInPath(app), as: person, in: browser)
                let answer = try await server.proceed(page, as: person, ["email_choice": "hide"], in: browser)
                return try TestServer.tokens(try await server.redeemSignIn(answer.carried?["code"] ?? "", app))
            }
            func addresses(of person: Person) async throws -> [HiddenAddress] {
                try await server.database.read { try HiddenAddress.list(of: person.id, in: $0) }
            }
            func told() async throws -> [String] {
                try await server.database.read {
                    try $0.all("SELECT claims FROM notification ORDER BY id") { try $0[0] as String }
                }.compactMap { $0.firstMatch(of: /"type":"([a-z-]*)"/).map { String($0.1) } }
            }
            let tokens = try await hide(maria, server.quizzler, in: browser)
            let stranger = server.browser()
            _ = try await hide(ana, server.quizzler, in: stranger)
            let old = try #require(try await addresses(of: maria).first)
            let sub = try await server.verified(tokens.identity).claims["sub"] as? String ?? ""
            let transferSub =
                try await migrate(
                    server.quizzler, ["sub": sub, "target": server.rival.team.publicID],
                    bearer: try await bearer(server.quizzler, on: server), on: server
                ).json["transfer_sub"] as? String ?? ""
            server.fixed.advance(by: 60)
            try await transfer(server)

            func email() async throws -> String? {
                let answer = try await server.refreshSignIn(tokens.refresh, receiving)
                return try await server.verified(TestServer.tokens(answer).identity).claims["email"] as? String
            }
            #expect(try await email() == old.address)
            let account = try await browser.get("/account")
            #expect(account.body.contains("<dt>Hidden email</dt><dd><bdi>\(old.address)</bdi></dd>"))
            let form = try #require(account.form("/account/hidden-addresses/"))
            try await browser.submit(form, ["forwarding": "off"])
            #expect(try await told() == ["email-disabled"])

            let (own, fields) = (try await bearer(receiving, on: server), ["transfer_sub": transferSub])
            let answer = try await migrate(receiving, fields, bearer: own, on: server)
            let new = try #require(try await addresses(of: maria).last)
            #expect(new.teamID == server.rival.team.id && new.address != old.address)
            #expect(!new.forwards)
            #expect(Set(answer.json.keys) == ["sub", "email", "is_private_email"])
            #expect(answer.json["email"] as? String == new.address)
            #expect(answer.json["is_private_email"] as? Bool == true)
            #expect(try await migrate(receiving, fields, bearer: own, on: server).line == answer.line)
            #expect(try await email() == new.address)
            #expect(try await browser.get("/account").body.contains("<dd><bdi>\(new.address)</bdi></dd>"))

            // Without that, the next sign-in makes one, and the page says so.
            let theirs = try #require(try await addresses(of: ana).first)
            let page = try await server.open(server.signInPath(receiving), as: ana, in: stranger)
            #expect(page.body.contains("<dt>Hidden email</dt><dd><bdi>A new one, made for Quizzler</bdi></dd>"))
            #expect(try await server.proceed(page, as: ana, in: stranger).carried?["code"] != nil)
            let both = try await addresses(of: ana)
            #expect(both.map(\.teamID) == [server.quizzler.team.id, server.rival.team.id])
            #expect(both.allSatisfy(\.forwards) && both.first == theirs)

            // When the person stops using the app, neither address forwards any more.
            let path = try #require(try await stranger.get("/account").link("Stop using Quizzler"))
            let question = try await stranger.get(path)
            #expect(question.body.contains("Messages to \(both[1].address) are no longer forwarded to you."))
            try await stranger.submit(question.form(path))
            #expect(try await addresses(of: ana).allSatisfy { !$0.forwards })
        }
    }

    @Test(
        "the former team's fixed secret is void, and organizations have to consent again",
        arguments: TestDatabase.available)
    func former(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, notificationURL: "http://127.0.0.1:1/notifications") { server in
            let roster = try await server.connect()
            #expect(try await server.roster("/users", roster).status == 200)
            let client = try await StandardClient.secret(on: server)
            try await server.makePublic(Scene.groupedClientID)
            let tokens = try await client.tokens(as: server.maple.nadia, scope: "openid offline_access")
            server.fixed.advance(by: 1)
            try await transfer(server)

            #expect(try await client.refresh(tokens.refresh).line.hasPrefix(#"401 {"error":"invalid_client""#))
            #expect(try await client.revoke(tokens.access).status == 401)
            #expect(try await client.call("device_authorization", ["scope": "openid"]).status == 401)
            let clients = try await server.database.read { transaction in
                try Client.list(of: server.quizzler.app.id, in: transaction)
            }
            #expect(clients.allSatisfy { !$0.hasSecret })
            #expect(clients.filter(\.isPublic).map(\.clientID) == [Scene.groupedClientID])
            // With a secret of the new team it goes on.
            let renewed = StandardClient(server: server, app: server.quizzler, secret: try await server.makeSecret())
            #expect(try await renewed.refresh(tokens.refresh).status == 200)

            #expect(try await server.roster("/users", roster).status == 401)
            #expect(try await server.refresh(roster.refresh, receiving(server)).error == "invalid_grant")
            let told = try await server.database.read {
                try $0.all("SELECT claims FROM notification") { try $0[0] as String }
            }
            #expect(told.count == 1 && told[0].contains("consent-revoked"))
            let again = try await server.connect(receiving(server))
            #expect(try await server.roster("/users", again).status == 200)
        }
    }

    @Test("what disagrees, or is over, is refused in the words of the service")
    func refused() async throws {
        try await TestServer.with { server in
            let (sending, receiving) = (server.quizzler, receiving(server))
            let (nadia, ben) = (server.maple.nadia, server.maple.ben)
            let tokens = try await server.tokens(as: nadia)
            let sub = try await server.verified(tokens.identity).claims["sub"] as? String ?? ""
            let bens = try await server.tokens(as: ben)
            let benSub = try await server.verified(bens.identity).claims["sub"] as? String ?? ""
            let (own, rivals) = (
                try await bearer(sending, on: server), try await bearer(server.rival, on: server)
            )
            let rivalSub =
                try await server.verified(try await server.tokens(server.rival, as: nadia).identity)
                .claims["sub"] as? String ?? ""
            let target = server.rival.team.publicID
            let good = ["sub": sub, "target": target]
            let roster = try await server.connect()
            let rows: [(TestApp, [String: String], String)] = [
                (sending, [:], own), (sending, ["sub": sub], own), (sending, ["target": target], own),
                (sending, good.merging(["transfer_sub": sub]) { $1 }, own),
                (sending, ["sub": sub, "target": "AAAAAAAAAA"], own),
                (sending, ["sub": sub, "target": sending.team.publicID], own),
                (sending, ["sub": "x", "target": target], own), (sending, ["sub": rivalSub, "target": target], own),
                (sending, good, rivals), (sending, good, "x"), (sending, good, bens.access),
                (sending, good, tokens.identity), (sending, good, roster.access),
                // Nothing was transferred yet.
                (sending, ["transfer_sub": sub], own),
            ]
            for (index, (app, fields, bearer)) in rows.enumerated() {
                let answer = try await migrate(app, fields, bearer: bearer, on: server)
                #expect(answer.line == #"400 {"error":"invalid_request"}"#, "\(index)")
            }
            let without = try await server.call("/auth/usermigrationinfo", sending, good)
            #expect(without.line == #"400 {"error":"invalid_request"}"#)
            let unknown = try await migrate(
                sending, good.merging(["client_secret": "x"]) { $1 }, bearer: own, on: server)
            #expect(unknown.line == #"400 {"error":"invalid_client"}"#)
            // A team that never had the app.
            #expect(try await appToken(receiving, on: server).line == #"400 {"error":"invalid_client"}"#)
            // A token of the app opens nothing else.
            #expect(try await server.roster("/users", bearer: own).status == 401)
            #expect(
                try await server.browser().get("/oidc/userinfo", ["Authorization": "Bearer \(own)"]).status == 401)
            #expect(try await server.call("/auth/revoke", nil, ["token": own]).line == "200 ")
            #expect(try await migrate(sending, good, bearer: own, on: server).status == 200)
            server.fixed.advance(by: 3_600)
            #expect(
                try await migrate(sending, good, bearer: own, on: server).line == #"400 {"error":"invalid_request"}"#)
            try await server.stopUsing(nadia)
            let fresh = try await bearer(sending, on: server)
            #expect(
                try await migrate(sending, good, bearer: fresh, on: server).line == #"400 {"error":"invalid_request"}"#)
            try await transfer(server)
            // People are handed over only to the team to which the app was transferred.
            let third = try await TestApp.insert(
                "org.third", name: "Third", fixed: server.fixed.surroundings, masterKey: server.scene.masterKey,
                in: server.database)
            let elsewhere = try await migrate(
                sending, ["sub": benSub, "target": third.team.publicID], bearer: try await bearer(sending, on: server),
                on: server)
            #expect(elsewhere.line == #"400 {"error":"invalid_request"}"#)
        }
    }

    @Test("credential state: authorized, revoked, notFound; nothing but one word to whoever asks")
    func credentialState() async throws {
        try await TestServer.with { server in
            for person in try await server.kinds().all {
                let other =
                    try await server.verified(try await server.tokens(server.rival, as: person).identity)
                    .claims["sub"] as? String ?? ""
                let roster = TeamIdentifiers(database: server.database, masterKey: server.scene.masterKey)
                let sub = try await roster.of(server.quizzler.team.id).text(of: person.id, in: person.organizationID)
                #expect(try await state(sub, on: server) == #"{"state":"notFound"}"#)
                _ = try await server.tokens(as: person)
                for client in ["com.quizzler", Scene.groupedClientID] {
                    #expect(try await state(sub, clientID: client, on: server) == #"{"state":"authorized"}"#)
                }
                // Another team's id for the same person, and nonsense.
                for id in [other, "x", String(sub.dropLast()), sub.uppercased() + "0"] {
                    #expect(try await state(id, on: server) == #"{"state":"notFound"}"#, "\(id)")
                }
                try await server.stopUsing(person)
                #expect(try await state(sub, on: server) == #"{"state":"revoked"}"#)
                _ = try await server.tokens(as: person)
                #expect(try await state(sub, on: server) == #"{"state":"authorized"}"#)
                if person.organizationID != nil {
                    try await server.changeSignIn(.mode(.allowOnlyListedApps))
                    #expect(try await state(sub, on: server) == #"{"state":"revoked"}"#)
                    try await server.changeSignIn(.mode(.allowAllApps))
                }
            }
            let browser = server.browser()
            for (fields, error) in [
                ([:], "invalid_request"), (["client_id": "com.quizzler"], "invalid_request"),
                (["user": "x"], "invalid_request"), (["client_id": "com.unknown", "user": "x"], "invalid_client"),
            ] as [([String: String], String)] {
                #expect(
                    try await browser.post("/auth/credentialstate", fields).line == #"400 {"error":"\#(error)"}"#)
            }
        }
    }
}
