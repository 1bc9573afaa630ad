import Administration
import Directory
import Fixtures
import Foundation
import Ground
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// People administrate from a terminal. RFC 8628.
@Suite struct TerminalSignInTests {
    private struct Terminal {
        let server: TestServer
        let deviceCode: String
        let userCode: String

        init(_ server: TestServer, scope: String? = nil, program: String = "lanyard on office-pc") async throws {
            var fields = ["client_name": program]
            fields["scope"] = scope
            let answer = try await server.browser().post("/api/v1/device_authorization", fields)
            #expect(answer.status == 200, "\(answer.line)")
            #expect(answer.json["verification_uri"] as? String == "\(TestServer.baseURL)/device")
            #expect(answer.json["expires_in"] as? Int == 900 && answer.json["interval"] as? Int == 5)
            self.server = server
            deviceCode = try #require(answer.json["device_code"] as? String)
            userCode = try #require(answer.json["user_code"] as? String)
        }

        func poll() async throws -> Answer {
            server.fixed.advance(by: 5)
            return try await server.browser().post(
                "/api/v1/token",
                ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": deviceCode])
        }

        /// The page that asks the person, after they have signed in.
        func page(as person: Person, in browser: Browser) async throws -> Answer {
            let form = try await browser.get("/device").form("/device")
            let entered = try await browser.follow(browser.submit(form, ["user_code": userCode.lowercased()]))
            guard entered.form("/sign-in") != nil else { return entered }
            return try await browser.follow(server.signIn(person.userName, on: entered, in: browser))
        }

        func decide(_ decision: String, as person: Person, in browser: Browser) async throws -> Answer {
            let page = try await page(as: person, in: browser)
            let form = page.form("/device/terminal?user_code=\(userCode)")
            return try await browser.follow(browser.submit(form, ["decision": decision]))
        }
    }

    private static func people(of server: TestServer, with token: String) async throws -> Answer {
        try await server.browser().get(
            "/api/v1/organizations/\(server.maple.organization.publicID)/people?limit=2",
            ["Authorization": "Bearer \(token)"])
    }

    @Test(
        "a terminal waits, its person allows it, and it administrates in their name until they sign out everywhere",
        arguments: TestDatabase.available)
    func whole(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let terminal = try await Terminal(server)
            #expect(try await terminal.poll().error == "authorization_pending")
            let browser = server.browser()
            let page = try await terminal.page(as: server.maple.peopleManager, in: browser)
            #expect(page.heading == "Let a terminal manage \(server.maple.organization.name)?", "\(page.line)")
            #expect(page.body.contains(terminal.userCode) && page.body.contains("lanyard on office-pc"))
            // A People Manager reads no audit trail, so that the terminal cannot either.
            #expect(page.body.contains("see people") && !page.body.contains("read who did what"))
            let done = try await terminal.decide("continue", as: server.maple.peopleManager, in: browser)
            #expect(done.heading == "Your terminal is signed in")

            let answer = try await terminal.poll()
            #expect(answer.status == 200 && answer.json["expires_in"] as? Int == 43_200, "\(answer.line)")
            #expect(answer.json["organization"] as? String == server.maple.organization.publicID)
            let token = try #require(answer.json["access_token"] as? String)
            #expect(try await terminal.poll().error == "invalid_grant")
            #expect(try await Self.people(of: server, with: token).status == 200)
            let audit = try await server.browser().get(
                "/api/v1/organizations/\(server.maple.organization.publicID)/api-clients",
                ["Authorization": "Bearer \(token)"])
            #expect(audit.status == 403)
            let actors = try await server.database.read { transaction in
                try transaction.all(
                    "SELECT actor FROM audit_entry WHERE action = 'administration.read'", []
                ) { try $0["actor"] as String }
            }
            #expect(actors == ["person:\(server.maple.peopleManager.id.rawValue)"])

            let api = Administrator(
                .operator, from: .commandLine, database: server.database, services: APIUser.services(of: server))
            _ = try await api.perform(
                SignOutPerson(person: PersonReference(server.maple.peopleManager.userName)),
                in: .named(server.maple.organization.publicID))
            #expect(try await Self.people(of: server, with: token).status == 401)
        }
    }

    @Test("whoever cancels gives nothing, and whoever comes second decides nothing")
    func denied() async throws {
        try await TestServer.with { server in
            let terminal = try await Terminal(server)
            let browser = server.browser()
            let done = try await terminal.decide("deny", as: server.maple.administrator, in: browser)
            #expect(done.heading == "Your terminal is not signed in")
            let again = try await server.browser().get("/device/terminal?user_code=\(terminal.userCode)")
            #expect(again.status == 303)
            let other = server.browser()
            _ = try await server.signIn(server.maple.siteManager.userName, in: other)
            #expect(
                try await other.get("/device/terminal?user_code=\(terminal.userCode)").heading == "This code is over")
            #expect(try await terminal.poll().error == "access_denied")
        }
    }

    @Test("pupils manage nothing, and are told so; the terminal gets nothing")
    func pupils() async throws {
        try await TestServer.with { server in
            let terminal = try await Terminal(server)
            let browser = server.browser()
            let page = try await terminal.page(as: server.maple.ben, in: browser)
            #expect(page.heading == "You manage nothing here")
            // Also if they post the form that they were not shown.
            let form = try await browser.get("/account").form("/language")
            let token = form?.fields["csrf_token"] ?? ""
            _ = try await browser.post(
                "/device/terminal?user_code=\(terminal.userCode)", ["csrf_token": token, "decision": "continue"])
            #expect(try await terminal.poll().error == "authorization_pending")
        }
    }

    @Test(
        "the owner of a personal account looks after their teams from a terminal, and nothing else, for as long as they are a member",
        arguments: TestDatabase.available)
    func developers(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let developer = server.scene.developer
            let terminal = try await Terminal(server)
            let browser = server.browser()
            let page = try await terminal.page(as: developer, in: browser)
            #expect(page.heading == "Let a terminal manage your teams of app developers?", "\(page.line)")
            #expect(page.body.contains("manage the apps of your teams") && !page.body.contains("see people"))
            _ = try await terminal.decide("continue", as: developer, in: browser)
            let answer = try await terminal.poll()
            #expect(answer.json["organization"] as? String == "", "\(answer.line)")
            #expect(answer.json["scope"] as? String == "apps.manage teams.join teams.manage")
            let token = try #require(answer.json["access_token"] as? String)
            func get(_ path: String) async throws -> Answer {
                try await server.browser().get("/api/v1/\(path)", ["Authorization": "Bearer \(token)"])
            }
            #expect(try await get("apps").list("apps").map { $0["name"] as? String } == ["Quizzler"])
            let shown = try await get("apps/\(server.quizzler.clientID)")
            #expect(shown.status == 200 && shown["ETag"] != nil, "\(shown.line)")
            #expect(try await get("apps/\(server.rival.clientID)").status == 403)
            #expect(try await Self.people(of: server, with: token).status == 403)
            let rename = try await server.browser().send(
                .POST, "/api/v1/apps/\(server.quizzler.clientID)",
                ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: #"{"name": "Quizzler 2"}"#)
            let change = try #require(rename.json["change"] as? Int, "\(rename.line)")
            let undone = try await server.browser().send(
                .POST, "/api/v1/changes/\(change)/undo", ["Authorization": "Bearer \(token)"], body: nil)
            #expect(undone.status == 200, "\(undone.line)")
            let actors = try await server.database.read { transaction in
                try transaction.all(
                    "SELECT actor FROM audit_entry WHERE action = 'app.changed' AND organization_id = 0", []
                ) { try $0["actor"] as String }
            }
            #expect(actors == Array(repeating: "person:\(developer.id.rawValue)", count: 2))
            try await server.database.write {
                _ = try $0.execute("DELETE FROM team_member WHERE person_id = $1", [developer.id])
            }
            #expect(try await get("apps").status == 403)
            #expect(try await get("apps/\(server.quizzler.clientID)").status == 403)
        }
    }

    @Test("who is in no team gets nothing, unless the server lets anyone make one")
    func founders() async throws {
        for founding in DeveloperRules.Founding.allCases {
            try await TestServer.with(configure: { $0.teamsMadeBy = founding }) { server in
                let personal = try await server.addPersonal()
                let heading = try await Terminal(server).page(as: personal, in: server.browser()).heading
                #expect(
                    heading
                        == (founding == .anyone
                            ? "Let a terminal manage your teams of app developers?" : "You manage nothing here"))
                let pupil = try await Terminal(server).page(as: server.maple.ben, in: server.browser()).heading
                #expect(pupil == "You manage nothing here")
            }
        }
    }

    @Test("a member of a team may give a terminal nothing but the right to use invitations; others get none by that")
    func joiningAlone() async throws {
        try await TestServer.with { server in
            let member = try await Terminal(server, scope: Privilege.joinTeams.rawValue)
            let page = try await member.page(as: server.scene.developer, in: server.browser())
            #expect(page.heading != "You manage nothing here", "\(page.line)")
            let other = try await Terminal(server, scope: Privilege.joinTeams.rawValue)
            let refused = try await other.page(as: server.maple.teacher, in: server.browser())
            #expect(refused.heading == "You manage nothing here", "\(refused.line)")
        }
    }

    @Test("a code is over after 15 minutes, and its scope limits what the terminal may do")
    func limits() async throws {
        try await TestServer.with { server in
            let late = try await Terminal(server)
            server.fixed.advance(by: 901)
            #expect(try await late.poll().error == "expired_token")
            let wrong = try await server.browser().post("/api/v1/device_authorization", ["scope": "everything"])
            #expect(wrong.error == "invalid_scope")

            let terminal = try await Terminal(server, scope: "people.read", program: "<b>lanyard</b>\u{202e}")
            let browser = server.browser()
            let page = try await terminal.page(as: server.maple.administrator, in: browser)
            #expect(page.body.contains("see people") && !page.body.contains("give passwords"))
            #expect(!page.body.contains("<b>lanyard") && !page.body.contains("\u{202e}"))
            _ = try await terminal.decide("continue", as: server.maple.administrator, in: browser)
            let token = try #require(try await terminal.poll().json["access_token"] as? String)
            #expect(try await Self.people(of: server, with: token).status == 200)
            let password = try await server.browser().post(
                "/api/v1/organizations/\(server.maple.organization.publicID)/people/ben%40maple.example/password",
                [:], ["Authorization": "Bearer \(token)"])
            #expect(password.status == 403)
        }
    }

    @Test("a token that is given back is void, and so is one that nobody knows")
    func revoked() async throws {
        try await APIUser.with { user in
            let server = user.server
            #expect(try await Self.people(of: server, with: user.token).status == 200)
            for token in [user.token, "unknown"] {
                let answer = try await server.browser().post("/api/v1/revoke", ["token": token])
                #expect(answer.status == 200)
            }
            #expect(try await Self.people(of: server, with: user.token).status == 401)
            #expect(try await server.browser().post("/api/v1/revoke", [:]).error == "invalid_request")
        }
    }

    @Test("each answer says how much more may be asked, and too many requests are refused for a while")
    func rate() async throws {
        try await APIUser.with(configure: {
            $0.rateLimit.burst = 3
            $0.rateLimit.requestsPerSecond = 0.5
        }) { user in
            let first = try await user.send(.GET, "people?limit=1")
            #expect(first["RateLimit-Policy"] == "\"token\";q=3;w=6")
            #expect(first["RateLimit"] == "\"token\";r=2;t=2")
            for _ in 0..<2 { #expect(try await user.send(.GET, "people?limit=1").status == 200) }
            let refused = try await user.send(.GET, "people?limit=1")
            #expect(refused.status == 429 && refused["Retry-After"] == "2")
            #expect(refused.json["type"] as? String == "urn:lanyard:problem:limited")
            user.server.fixed.advance(by: 2)
            #expect(try await user.send(.GET, "people?limit=1").status == 200)
        }
    }
}
