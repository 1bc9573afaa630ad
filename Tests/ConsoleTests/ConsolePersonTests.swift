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

/// What a person's page leads to.
@Suite struct ConsolePersonTests {
    private static func links(of answer: Answer, to path: String) -> [String] {
        answer.body.matches(of: #/href="([^"]*)"/#).map { Answer.unescape($0.1) }.filter { $0.hasPrefix(path) }
    }

    @Test("of somebody in many classes, further pages have the others, each once")
    func classes() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let (maple, now) = (server.maple, server.fixed.now)
            let there = try await server.database.write { transaction in
                for number in 1...60 {
                    _ = try RosterClass.insert(
                        in: maple.organization.id, name: "Class \(number)", location: maple.high.id, instructors: [],
                        students: [maple.nadia.id], at: now, in: transaction)
                }
                return try transaction.first(
                    "SELECT COUNT(*) FROM class_student WHERE person_id = $1", [maple.nadia.id]
                ) { try $0[0] as Int }
            }
            let path = visitor.filled("/manager/people/{person}", about: maple)
            let first = try await visitor.browser.get(path)
            let next = try #require(Self.links(of: first, to: "\(path)?after=").first)
            let second = try await visitor.browser.get(next)
            #expect(second.status == 200 && Self.links(of: second, to: "\(path)?after=").isEmpty)
            #expect(Self.links(of: second, to: path).contains(path), "nothing leads back to the first page")
            let shown = [first, second].map { Self.links(of: $0, to: "/manager/classes/CL-") }
            #expect(shown[0].count == 50 && shown[1].count == (there ?? 0) - 50)
            #expect(Set(shown[0] + shown[1]).count == there)
        }
    }

    @Test("an app to which the person signs in leads to why it gets data, for whoever may ask that")
    func why() async throws {
        try await TestServer.with { server in
            let (maple, now) = (server.maple, server.fixed.now)
            let app = server.quizzler.app.id
            try await server.database.write {
                _ = try SignInConsent.put(
                    app: app, person: maple.nadia.id, scopes: ScopeSet([.name]), givenName: nil, familyName: nil,
                    hidesEmail: false, request: SecretHash(of: "request"), at: now, in: $0)
            }
            for role in [Role.administrator, .peopleManager] {
                let visitor = try await ConsoleVisitor(role, of: server)
                let page = try await visitor.browser.get(visitor.filled("/manager/people/{person}", about: maple))
                #expect(page.body.contains("Quizzler"))
                let links = Self.links(of: page, to: "/manager/apps/\(app.rawValue)/why")
                #expect(
                    links
                        == (role == .administrator
                            ? [
                                "/manager/apps/\(app.rawValue)/why?person=PE-\(maple.nadia.id.rawValue)"
                            ] : []),
                    "\(role)")
                for link in links {
                    let answer = try await visitor.browser.get(link)
                    #expect(answer.status == 200 && answer.body.contains(maple.nadia.fullName))
                }
            }
        }
    }

    @Test("devices and activity of a person are one step away, for whoever may look at them")
    func furtherPages() async throws {
        try await TestServer.with { server in
            let maple = server.maple
            _ = try await server.addDevice(for: maple.nadia)
            let number = maple.nadia.id.rawValue
            for role in [Role.administrator, .peopleManager] {
                let visitor = try await ConsoleVisitor(role, of: server)
                let page = try await visitor.browser.get(visitor.filled("/manager/people/{person}", about: maple))
                for path in ["/manager/devices?person=PE-\(number)", "/manager/activity?person=PE-\(number)"] {
                    let links = Self.links(of: page, to: path)
                    #expect(links == (role == .administrator ? [path] : []), "\(role)")
                    for link in links {
                        let answer = try await visitor.browser.get(link)
                        #expect(answer.status == 200 && answer.body.contains(maple.nadia.fullName), "\(link)")
                    }
                }
            }
        }
    }

    @Test("of a record that was merged or is not in use, nothing is offered that would be refused")
    func notInUse() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let maple = server.maple
            _ = try await APIUser.operator(of: server).perform(
                MergePeople(person: PersonReference(maple.nadia.id), other: PersonReference(maple.ben.id)),
                in: .named(maple.organization.publicID))
            func links(of person: Person) async throws -> [String] {
                let path = "/manager/people/PE-\(person.id.rawValue)/"
                return Self.links(of: try await visitor.browser.get(String(path.dropLast())), to: path)
                    .map { String($0.dropFirst(path.count)) }
            }
            let kept = try await links(of: maple.nadia)
            #expect(kept.contains("deactivate") && kept.contains("merge"))
            let merged = try await links(of: maple.ben)
            #expect(merged.contains("rename") && !merged.contains("reactivate") && !merged.contains("merge"))
            let left = try await links(of: maple.deactivated)
            #expect(left.contains("reactivate") && !left.contains("merge"))
            for (person, isOffered) in [(maple.nadia, true), (maple.deactivated, false)] {
                let roles = try await visitor.browser.get("/manager/people/PE-\(person.id.rawValue)/roles")
                #expect(roles.status == 200 && roles.body.contains("Give the role") == isOffered)
            }
        }
    }

    @Test("settings lead to the locations, which have the rules for pupils' passwords")
    func passwordPolicies() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            let settings = try await visitor.browser.get("/manager/settings")
            #expect(settings.body.contains(#"href="/manager/locations">Pupils’ passwords, at each location<"#))
            let edit = try await visitor.browser.get(
                visitor.filled("/manager/locations/{location}/edit", about: server.maple))
            #expect(edit.body.contains("Pupils’ passwords"))
        }
    }
}
