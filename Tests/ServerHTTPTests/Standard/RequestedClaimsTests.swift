import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// What standard clients are told, by scopes and by the `claims` parameter. OpenID Connect Core §5.4 and §5.5.
@Suite struct RequestedClaimsTests {
    /// What an identity token says of the person, and what user info does, without `sub`.
    private struct Told {
        let token: [String: Any]
        let info: [String: Any]
    }

    private static let ofToken = [
        "iss", "aud", "sub", "iat", "exp", "auth_time", "nonce", "sid", "acr", "amr", "at_hash",
    ]

    private func told(_ tokens: Tokens, by client: StandardClient) async throws -> Told {
        let token = try await client.server.verified(tokens.identity).claims
        let info = try await client.userInfo(tokens.access).json
        return Told(
            token: token.filter { !Self.ofToken.contains($0.key) }, info: info.filter { $0.key != "sub" })
    }

    private func told(
        of person: Person, scope: String = "openid", claims: String = "", by client: StandardClient
    ) async throws -> Told {
        try await told(client.tokens(as: person, scope: scope, ["claims": claims]), by: client)
    }

    @Test("profile has user name, last change and language, where there are any; org_id has a scope of its own")
    func scopes() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let kinds = try await server.kinds()
            let changed = Int(server.fixed.now.timeIntervalSince1970)
            server.fixed.advance(by: 100)
            let nadia: [String: Any] = [
                "name": "Nadia Okoye", "given_name": "Nadia", "family_name": "Okoye",
                "preferred_username": "nadia@maple.example", "updated_at": changed,
            ]
            let first = try await told(of: kinds.nadia, scope: "openid profile", by: client)
            // The page has said so: what the app gets, and nothing else.
            let browser = server.browser()
            try await server.signIn(kinds.nadia.userName, in: browser)
            let choice = try await browser.follow(
                browser.get(client.path(scope: "openid profile", ["prompt": "select_account"])))
            #expect(choice.body.contains("<dt>User name</dt>"))
            let plain = try await browser.follow(browser.get(client.path(["prompt": "select_account"])))
            #expect(!plain.body.contains("<dt>User name</dt>"))
            #expect(canonical(first.token) == canonical(nadia))
            #expect(canonical(first.info) == canonical(nadia))
            let organization = ["org_id": server.maple.organization.publicID]
            let second = try await told(of: kinds.nadia, scope: "openid organization", by: client)
            #expect(canonical(second.token) == canonical(organization))
            #expect(canonical(second.info) == canonical(organization))
            // The user name of a personal account is its email address, which was not asked for.
            let maria = try await told(of: kinds.maria, scope: "openid profile organization", by: client)
            #expect(Set(maria.token.keys) == ["name", "given_name", "family_name", "updated_at"])

            // The language that somebody chooses while they are signed in belongs to the account.
            let page = try await browser.get("/")
            let form = try #require(page.forms.first { $0.fields["return_to"] != nil })
            try await browser.submit(form, ["language": "ja"])
            let third = try await told(of: kinds.nadia, scope: "openid profile", by: client)
            #expect(third.token["locale"] as? String == "ja")
            #expect(third.info["locale"] as? String == "ja")
            #expect(third.info["updated_at"] as? Int == changed)
        }
    }

    @Test("single claims come where they are asked for, and with every refresh", arguments: TestDatabase.available)
    func places(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let kinds = try await server.kinds()
            let claims = """
                {"id_token":{"given_name":null,"org_id":{"essential":true},"phone_number":null,"auth_time":null},
                 "userinfo":{"email":{"essential":true},"name":{"value":"x"}},"other":{"email":null}}
                """
            let tokens = try await client.tokens(
                as: kinds.nadia, scope: "openid offline_access", ["claims": claims])
            let refreshed = try TestServer.tokens(try await client.refresh(tokens.refresh))
            for tokens in [tokens, refreshed] {
                let told = try await told(tokens, by: client)
                #expect(
                    canonical(told.token)
                        == canonical(["given_name": "Nadia", "org_id": server.maple.organization.publicID]))
                #expect(
                    canonical(told.info) == canonical(["name": "Nadia Okoye", "email": "nadia.okoye@maple.example"]))
            }
            // Beside scopes they add to them; who has no address has none.
            let ben = try await told(
                of: kinds.ben, scope: "openid profile", claims: #"{"userinfo":{"email":null,"email_verified":null}}"#,
                by: client)
            #expect(ben.info["name"] as? String == "Ben Berg")
            #expect(ben.info["email"] == nil && ben.info["email_verified"] == nil)
        }
    }

    @Test("a refresh for less leaves out the single claims of what it leaves out, and the next has all again")
    func narrowed() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let claims = #"{"id_token":{"email":null,"given_name":null},"userinfo":{"email":null,"name":null}}"#
            let first = try await client.tokens(
                as: server.maple.nadia, scope: "openid email offline_access", ["claims": claims])
            let narrow = try TestServer.tokens(try await client.refresh(first.refresh, ["scope": "openid"]))
            let less = try await told(narrow, by: client)
            #expect(canonical(less.token) == canonical(["given_name": "Nadia"]))
            #expect(canonical(less.info) == canonical(["name": "Nadia Okoye"]))
            let all = try await told(TestServer.tokens(client.refresh(narrow.refresh)), by: client)
            #expect(all.token["email"] != nil && all.info["email"] != nil)
        }
    }

    @Test(
        "the scope roles tells what the person is at present, to apps that are registered for it",
        arguments: TestDatabase.available)
    func roles(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let (kinds, organization, now) = (try await server.kinds(), server.maple.organization.id, server.fixed.now)
            let (scope, pupil, teacher) = ("openid roles offline_access", kinds.nadia, server.maple.teacher)
            let app = server.quizzler.app
            try await server.database.write {
                // Nobody is told the grade of somebody who is no student.
                try $0.execute("UPDATE person SET grade = '6' WHERE id = $1", [teacher.id])
                try app.put(name: app.name, scopes: app.scopes.subtracting(ScopeSet([.roles])), in: $0)
            }
            let before = try await told(of: pupil, scope: scope, by: client)
            #expect(before.token.isEmpty && before.info.isEmpty)
            try await server.database.write {
                try app.put(name: app.name, scopes: app.scopes.union(ScopeSet([.roles])), in: $0)
            }

            // The page asks again, because the app gets more than before, and shows what it is.
            let browser = server.browser()
            try await server.signIn(pupil.userName, in: browser)
            let page = try await browser.follow(browser.get(client.path(scope: scope)))
            #expect(page.body.contains("<dt>Role</dt><dd>Student</dd>"))
            #expect(page.body.contains("<dt>Grade</dt><dd><bdi>7</bdi></dd>"))
            let tokens = try await client.tokens(as: pupil, scope: scope)
            let first = try await told(tokens, by: client)
            let student: [String: Any] = ["roles": ["Student"], "grade": "7"]
            #expect(canonical(first.token) == canonical(student))
            #expect(canonical(first.info) == canonical(student))
            let account = try await browser.get("/account")
            #expect(account.body.contains("<dt>Role</dt><dd>Student</dd>"))

            // Each role once, none of the nine, and with the next answer what has changed.
            let today = CalendarDay(now)
            try await server.database.write { transaction in
                try RoleAssignment(.manager, at: nil).insert(for: pupil.id, of: organization, at: now, in: transaction)
                try RoleAssignment(.peopleManager, at: nil).insert(
                    for: pupil.id, of: organization, during: try RolePeriod(from: nil, until: today), at: now,
                    in: transaction)
            }
            let both: [String: Any] = ["roles": ["Student", "Staff"], "grade": "7"]
            #expect(
                canonical(try await client.userInfo(tokens.access).json.filter { $0.key != "sub" }) == canonical(both))
            _ = try await server.database.write {
                try RoleAssignment(.manager, at: nil).delete(for: pupil.id, at: now, in: $0)
            }
            server.fixed.advance(by: 3 * 86_400)
            let refreshed = try await told(TestServer.tokens(try await client.refresh(tokens.refresh)), by: client)
            #expect(canonical(refreshed.token) == canonical(student))

            let taught = try await told(of: teacher, scope: scope, by: client)
            #expect(canonical(taught.token) == canonical(["roles": ["Instructor"]] as [String: Any]))
            let maria = try await told(of: kinds.maria, scope: scope, by: client)
            #expect(maria.token.isEmpty && maria.info.isEmpty)
            let one = try await told(
                of: pupil, claims: #"{"id_token":{"grade":null},"userinfo":{"roles":null}}"#, by: client)
            #expect(canonical(one.token) == canonical(["grade": "7"] as [String: Any]))
            #expect(canonical(one.info) == canonical(["roles": ["Student"]] as [String: Any]))
        }
    }

    @Test("a single claim is consented to like its scope, and left out where the app is not registered for that")
    func consent() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let claims = ["claims": #"{"userinfo":{"email":null}}"#]
            _ = try await client.tokens(as: nadia, in: browser)
            let silent = try await browser.get(client.path(claims.merging(["prompt": "none"]) { $1 }))
            #expect(silent.redirectParameters["error"] == "consent_required")
            let page = try await browser.follow(browser.get(client.path(claims)))
            #expect(page.heading == "Create your Quizzler account")
            #expect(page.body.contains("nadia.okoye@maple.example"))
            let app = server.quizzler.app
            try await server.database.write { try app.put(name: app.name, scopes: ScopeSet([.name]), in: $0) }
            // A page that was open does not ask for it any more, and a later registration does not give it to the app.
            let changed = try await browser.get(page.form("/continue/")?.action ?? "")
            #expect(!changed.body.contains("nadia.okoye@maple.example"))
            _ = try await server.proceed(page, as: nadia, in: browser)
            let shared = try await server.database.read {
                try SignInConsent.living(app: app.id, person: nadia.id, in: $0)?.scopes
            }
            #expect(shared?.contains(.email) == false)
            let told = try await told(of: nadia, claims: claims["claims"] ?? "", by: client)
            #expect(told.info.isEmpty)
        }
    }

    @Test("what is no claims parameter is refused")
    func malformed() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let long = String(repeating: " ", count: 4_096)
            for claims in [
                "x", "[]", "null", "\"userinfo\"", "{", #"{"userinfo":[]}"#, #"{"id_token":null}"#,
                #"{"id_token":"email"}"#,
                #"{"userinfo":{"email":true}}"#, #"{"userinfo":{"email":{"essential":"yes"}}}"#,
                #"{"id_token":{"acr":{"values":"x"}}}"#, #"{"id_token":{"sub":{"values":["a","b"]}}}"#,
                #"{"id_token":{"sub":{"value":"a"}},"userinfo":{"sub":{"value":"b"}}}"#, "{}\(long)",
            ] {
                let answer = try await server.browser().get(client.path(["claims": claims]))
                #expect(answer.redirectParameters["error"] == "invalid_request", "\(claims.prefix(60))")
            }
            for claims in ["{}", #"{"userinfo":{}}"#, #"{"x":1}"#, #"{"id_token":{"x":{"y":[1]}}}"#] {
                let answer = try await server.browser().get(client.path(["claims": claims]))
                #expect(answer.location.hasPrefix("/continue/"), "\(claims)")
            }
        }
    }

    @Test("sub with a value: nobody else answers")
    func subject() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (nadia, ben) = (server.maple.nadia, server.maple.ben)
            let browser = server.browser()
            func sub(_ tokens: Tokens) async throws -> String {
                try #require(try await server.verified(tokens.identity).claims["sub"] as? String)
            }
            let bens = try await sub(client.tokens(as: ben))
            let nadias = try await sub(client.tokens(as: nadia, in: browser))
            func answer(_ sub: String, _ changes: [String: String] = [:]) async throws -> Answer {
                let claims = #"{"id_token":{"sub":{"value":"\#(sub)"}}}"#
                return try await browser.get(client.path(["claims": claims].merging(changes) { $1 }))
            }
            #expect(try await answer(nadias).redirectParameters["code"] != nil)
            #expect(try await answer(bens, ["prompt": "none"]).redirectParameters["error"] == "login_required")
            #expect(try await browser.follow(answer(bens)).form("/sign-in") != nil)
            #expect(try await answer("000000.x.0000").redirectParameters["error"] == "login_required")
        }
    }

    @Test("acr: a sign-in of another kind does not count where a page can make the right one")
    func contexts() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let nadia = server.maple.nadia
            _ = try await client.tokens(as: nadia)
            let (device, id) = try await server.addDevice(for: nadia)
            let (typed, silent) = (server.browser(), server.browser())
            try await server.signIn(nadia.userName, in: typed)
            _ = try await server.enter(server.assertion(device, id), in: silent)
            let (password, key) = ("urn:lanyard:acr:password", "urn:lanyard:acr:device-key")
            func essential(_ value: String) -> [String: String] {
                ["claims": #"{"id_token":{"acr":{"essential":true,"values":["\#(value)"]}}}"#]
            }
            func outcome(_ changes: [String: String], in browser: Browser) async throws -> String {
                let answer = try await browser.get(client.path(changes))
                if answer.redirectParameters["code"] != nil { return "code" }
                if let error = answer.redirectParameters["error"] { return error }
                return try await browser.follow(answer).form("/sign-in") != nil ? "sign-in" : "page"
            }
            let none = ["prompt": "none"]
            let unmet = "unmet_authentication_requirements"
            let rows: [([String: String], String, String)] = [
                (["acr_values": password], "code", "sign-in"),
                (["acr_values": "\(key) \(password)"], "code", "code"),
                (["acr_values": "urn:mace:incommon:iap:silver"], "code", "code"),
                (["acr_values": password].merging(none) { $1 }, "code", "code"),
                (["acr_values": key], "code", "code"),
                (essential(password), "code", "sign-in"),
                (essential(password).merging(none) { $1 }, "code", "login_required"),
                (essential(key), unmet, "code"),
                (essential("urn:mace:incommon:iap:silver"), unmet, unmet),
            ]
            for (changes, expected, withDevice) in rows {
                #expect(try await outcome(changes, in: typed) == expected, "\(changes)")
                #expect(try await outcome(changes, in: silent) == withDevice, "\(changes)")
            }
            // Signing in on the page gives the required `acr`.
            let page = try await silent.follow(silent.get(client.path(essential(password))))
            let answer = try await silent.follow(server.signIn(nadia.userName, on: page, in: silent))
            let tokens = try TestServer.tokens(try await client.redeem(answer.carried?["code"] ?? ""))
            #expect(try await server.verified(tokens.identity).claims["acr"] as? String == password)
        }
    }

    @Test("grants of before go on to tell the organization", arguments: TestDatabase.available)
    func migration(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.secret(on: server)
            let tokens = try await client.tokens(as: server.maple.nadia, scope: "openid offline_access")
            // The same change that the step of the schema makes.
            try await server.database.write {
                try $0.execute("UPDATE access_grant SET scopes = scopes || ' organization' WHERE profile = 'standard'")
            }
            let refreshed = try TestServer.tokens(try await client.refresh(tokens.refresh))
            let told = try await told(refreshed, by: client)
            #expect(told.token["org_id"] as? String == server.maple.organization.publicID)
        }
    }
}
