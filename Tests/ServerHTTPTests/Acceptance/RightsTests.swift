import Directory
import Fixtures
import ServerHTTP
import Testing
import TestSupport

@testable import TestServers

/// Who may read what of a roster, and in which ids. docs/specifications/roster-api.md, 1, 2.13 and 5.
@Suite struct RightsTests {
    @Test("organization and locations work with either scope alone; users need edu.users.read")
    func scopes() async throws {
        try await TestServer.with { server in
            let classes = try await server.connect(scope: "edu.classes.read")
            let users = try await server.connect(server.rival, scope: "edu.users.read")
            let id = try #require(try await server.roster("/users?limit=1", users).ids("users").first)
            for tokens in [users, classes] {
                for path in ["/organization", "/locations", "/locations/LO:\(server.maple.high.id.rawValue)"] {
                    #expect(try await server.roster(path, tokens).status == 200)
                }
            }
            #expect(try await server.roster("/users/\(id)", users).status == 200)
            #expect(try await server.roster("/users/\(id)", classes).status == 403)
            #expect(try await server.roster("/users", classes).status == 403)
            #expect(try await server.roster("/classes", users).status == 403)
        }
    }

    @Test("a wrong or expired token is 401, a foreign id 404, a burst 429", arguments: TestDatabase.available)
    func refusals(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, configure: { $0.rateLimit.burst = 3 }) { server in
            let tokens = try await server.connect()
            let birch = try await server.connect(as: server.scene.birch.administrator)
            let foreign = try #require(try await server.roster("/users?limit=1", birch).ids("users").first)

            #expect(try await server.roster("/users", bearer: "nonsense").status == 401)
            #expect(try await server.roster("/users", bearer: "b" + tokens.access.dropFirst()).status == 401)
            #expect(try await server.roster("/users/\(foreign)", tokens).status == 404)
            #expect(try await server.roster("/classes/CL-\(server.scene.birch.science.rawValue)", tokens).status == 404)
            #expect(
                try await server.roster("/locations/LO:\(server.scene.birch.high.id.rawValue)", tokens).status == 404)
            let burst = try await server.roster("/organization", tokens)
            #expect(burst.status == 429)
            #expect(burst["X-Retry-After"] == "1")

            server.fixed.advance(by: 3_599)
            #expect(try await server.roster("/organization", tokens).status == 200)
            server.fixed.advance(by: 1)
            #expect(try await server.roster("/organization", tokens).status == 401)
        }
    }

    @Test("only an Administrator or Site Manager can press Allow; deny returns error and state")
    func whoMayAllow() async throws {
        try await TestServer.with { server in
            let maple = server.maple
            for person in [maple.administrator, maple.siteManager] {
                #expect(try await server.allow(server.quizzler, as: person).redirectParameters["code"] != nil)
            }
            for person in [maple.peopleManager, maple.teacher, maple.nadia, server.scene.developer] {
                let browser = server.browser()
                let page = try await server.openConsent(server.quizzler, as: person, in: browser)
                #expect(page.status == 403)
                // Whoever builds the form by hand fares no better.
                let form = try #require(page.form("/connect/"))
                let answer = try await browser.submit(form, ["decision": "allow"])
                #expect(answer.status == 403)
                #expect(answer.location.isEmpty)
                let denied = try await browser.submit(form)
                #expect(denied.location == "\(server.quizzler.redirectURI)?error=access_denied&state=n3kP")
            }
        }
    }

    @Test("the test scope yields the synthetic school only, signed in with a developer login")
    func testScope() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            let refused = try await server.openConsent(
                server.quizzler, as: server.maple.administrator, scope: TestServer.testScope, in: browser)
            #expect(refused.status == 403)
            #expect(refused.heading?.contains("Quizzler") == true)

            let tokens = try await server.connect(as: server.scene.developer, scope: TestServer.testScope)
            let organization = try await server.roster("/organization", tokens).json
            #expect(organization["name"] as? String == "Lanyard Test School")
            #expect(organization["id"] as? String != server.maple.organization.publicID)
            let users = try await server.roster("/users?limit=1000", tokens)
            #expect(users.list("users").count == 146)
            #expect(!users.body.contains("maple.example") && !users.body.contains("Nadia"))
            for path in ["/classes", "/locations"] { #expect(try await server.roster(path, tokens).status == 200) }

            let real = try await server.roster("/users", try await server.connect())
            #expect(Set(real.ids("users")).isDisjoint(with: users.ids("users")))
        }
    }

    @Test("two teams see different ids for one person; one team sees one id everywhere")
    func pairwise() async throws {
        try await TestServer.with { server in
            let keys = try await server.browser().get("/auth/oauth2/v2/keys")
            var idsOfTara: [String] = []
            for app in [server.quizzler, server.rival] {
                let tokens = try await server.connect(app)
                let users = try await server.roster("/users", tokens).list("users")
                func id(_ given: String) -> String? {
                    users.first { $0["givenName"] as? String == given }?["id"] as? String
                }
                let science = try await server.roster("/classes/CL-\(server.maple.science.rawValue)", tokens).json
                let tara = try #require(id("Tara"))
                #expect(science["instructorIds"] as? [String] == [tara])
                #expect((science["studentIds"] as? [String])?.contains(try #require(id("Nadia"))) == true)
                #expect(try await SignedToken.verify(tokens.identity, with: keys).claims["sub"] as? String == id("Ada"))
                #expect(try await server.roster("/users/\(tara)", tokens).json["givenName"] as? String == "Tara")
                idsOfTara.append(tara)
            }
            #expect(Set(idsOfTara).count == 2)
        }
    }
}
