import Administration
import Authorization
import Directory
import Fixtures
import Ground
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What a new organization is to do first stands on the start of its console, until it is done.
@Suite struct FirstDayTests {
    /// An organization in which there are Administrators and nobody else.
    private struct Beginning {
        let server: TestServer
        let organization: Organization

        init(_ kind: Organization.Kind, on server: TestServer) async throws {
            let now = server.fixed.now
            self.server = server
            organization = try await server.database.write {
                try Organization.insert(name: "Fresh School", kind: kind, at: now, in: $0)
            }
        }

        func add(_ role: Role) async throws -> Person {
            let (organization, now) = (organization.id, server.fixed.now)
            let hash = try await PasswordHasher(cost: .low, surroundings: server.fixed.surroundings)
                .hash(District.password)
            return try await server.database.write { transaction in
                let person = try Person.insert(
                    in: organization, givenName: "First", familyName: role.rawValue,
                    userName: "\(role.rawValue)@fresh.example", at: now, in: transaction)
                try RoleAssignment(role, at: nil).insert(for: person.id, of: organization, at: now, in: transaction)
                try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
                return person
            }
        }

        func enter(as person: Person) async throws -> Browser {
            let browser = server.browser()
            try await server.signIn(person.userName, in: browser)
            return browser
        }
    }

    /// What the list has: `open` or `done`, and the first word of the title.
    private static func list(in browser: Browser) async throws -> [String] {
        let home = try await browser.get("/manager")
        #expect(home.status == 200)
        let tasks = home.body.matches(of: #/(?s)<li class="(open|done)">\s*<p>.*?<strong>(\w+)/#)
        #expect(home.body.contains("This list disappears when all of it is done.") == !tasks.isEmpty)
        return tasks.map { "\($0.1) \($0.2)" }
    }

    @Test("four things are to be done, each is done once, and then the list is gone")
    func list() async throws {
        try await TestServer.with { server in
            let fresh = try await Beginning(.school, on: server)
            let first = try await fresh.add(.administrator)
            let browser = try await fresh.enter(as: first)
            let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            func post(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
                try await browser.post(path, fields.merging(["csrf_token": token]) { own, _ in own })
            }
            func check(_ expected: String...) async throws {
                #expect(try await Self.list(in: browser) == expected)
            }
            try await check("open Bring", "open Verify", "open Give", "open Let")
            #expect(try await browser.get("/manager").body.contains("counts here as soon as they have a password"))

            #expect(try await post("/manager/settings/domains", ["domain": "fresh.example"]).status == 303)
            try await check("open Bring", "open Verify", "open Give", "open Let")
            _ = try await Administrator(
                .operator, from: .commandLine, database: server.database, services: APIUser.services(of: server)
            ).perform(VerifyDomain(domain: "fresh.example"), in: .named(fresh.organization.publicID))
            try await check("open Bring", "done Verify", "open Give", "open Let")

            let added = try await post(
                "/manager/people/add",
                [
                    "firstName": "Second", "lastName": "Head", "userName": "second@fresh.example",
                    "role": "administrator",
                ])
            try await check("open Bring", "done Verify", "open Give", "open Let")
            let second = added.location.prefix { $0 != "?" }
            #expect(try await post("\(second)/password").status == 200)
            try await check("open Bring", "done Verify", "done Give", "open Let")

            #expect(try await post("/manager/classes/add", ["name": "Chess"]).status == 303)
            try await check("done Bring", "done Verify", "done Give", "open Let")

            try await server.quizzler.list(in: fresh.organization.id, of: server.database, at: server.fixed.now)
            _ = try await server.connect(as: first)
            try await check()
        }
    }

    @Test("the only Administrator is not offered to leave or to lose the role, until there is another one")
    func onlyAdministrator() async throws {
        try await TestServer.with { server in
            let fresh = try await Beginning(.school, on: server)
            let first = try await fresh.add(.administrator)
            let browser = try await fresh.enter(as: first)
            let path = "/manager/people/PE-\(first.id.rawValue)"
            func check(isOffered: Bool) async throws {
                let (page, roles) = (try await browser.get(path), try await browser.get("\(path)/roles"))
                #expect(page.body.contains("href=\"\(path)/deactivate\"") == isOffered)
                #expect((roles.form("\(path)/roles/remove") != nil) == isOffered)
                for answer in [page, roles] {
                    #expect(answer.status == 200)
                    #expect(answer.body.contains("Make somebody else an Administrator first.") == !isOffered)
                }
            }
            try await check(isOffered: false)
            let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            let added = try await browser.post(
                "/manager/people/add",
                [
                    "firstName": "Second", "lastName": "Head", "userName": "second@fresh.example",
                    "role": "administrator", "csrf_token": token,
                ])
            #expect(added.status == 303, "\(added.line)")
            try await check(isOffered: true)
        }
    }

    @Test("nobody reads what they may not do, and a business lets no app read a roster")
    func others() async throws {
        try await TestServer.with { server in
            let school = try await Beginning(.school, on: server)
            for (role, words) in [
                (Role.siteManager, ["open Bring", "open Verify", "open Let"]),
                (.peopleManager, ["open Bring", "open Verify"]), (.manager, []), (.deviceEnrollmentManager, []),
            ] {
                let browser = try await school.enter(as: school.add(role))
                #expect(try await Self.list(in: browser) == words, "\(role)")
            }
            try await server.database.write {
                try $0.execute(
                    "UPDATE organization SET kind = 'business' WHERE id = $1", [school.organization.id])
            }
            let browser = try await school.enter(as: school.add(.administrator))
            #expect(try await Self.list(in: browser) == ["done Bring", "open Verify", "open Give"])
        }
    }
}
