import Administration
import Directory
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import Authorization
@testable import ServerHTTP
@testable import TestServers

/// Questions to the audit trail over the API, about what apps have read from the same server.
@Suite struct AuditAPITests {
    @Test("a reading of the roster is told with the person, the list and the very fields that were sent")
    func readers() async throws {
        try await APIUser.with { user in
            let (server, tokens) = (user.server, try await user.server.connect())
            let (nadia, teacher) = (server.maple.nadia, server.maple.teacher)
            let users = try await server.roster("/users?role=Student", tokens).list("users")
            let instructors = try await server.roster("/users?role=Instructor", tokens).list("users")
            _ = try await server.roster("/classes", tokens)
            #expect(!users.isEmpty && !instructors.isEmpty)

            let answer = try await user.send(.GET, "people/PE-\(nadia.id.rawValue)/readers")
            #expect(answer.status == 200, "\(answer.line)")
            let readings = answer.list("readings")
            let lists = readings.filter { $0["way"] as? String == "roster" }
                .map { "\($0["list"] ?? "") \($0["isCertain"] as? Bool == true)" }
            #expect(lists == ["classes false", "users true"], "\(answer.line)")
            let fields = try #require(readings.last?["fields"] as? [String])
            let sent = users.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
            #expect(sent.isSubset(of: fields))
            // All that can be sent, of which some people have something.
            #expect(Set(fields).subtracting(sent).isSubset(of: ["middleName", "email", "grade"]))
            #expect(readings.last?["scopes"] as? String == "edu.classes.read edu.users.read")
            let names = try #require(answer.json["names"] as? [String: String])
            #expect(names[readings.last?["reader"] as? String ?? ""] == "Quizzler", "\(names)")

            let other = try await user.send(.GET, "people/PE-\(teacher.id.rawValue)/readers?from=2020-01-01T00:00:00Z")
            #expect(
                other.list("readings").filter { $0["list"] as? String == "users" }.count == 1, "\(other.line)")
        }
    }

    @Test("the trail is asked over the API for what an app did and what was done about it, by each name of the app")
    func apps() async throws {
        try await APIUser.with { user in
            let (server, number) = (user.server, user.server.quizzler.app.id.rawValue)
            let tokens = try await server.connect()
            _ = try await server.roster("/users", tokens)
            let revoked = try await user.send(.DELETE, "apps/Quizzler/consent")
            #expect(revoked.status == 200, "\(revoked.line)")
            for name in ["Quizzler", "com.quizzler", "com.quizzler.services", "app:\(number)"] {
                let answer = try await user.send(.GET, "audit?app=\(name)&limit=100")
                let entries = answer.list("entries").map { "\($0["action"] ?? "") \($0["outcome"] ?? "")" }
                #expect(
                    Set(entries).isSuperset(of: ["consent.granted done", "roster.read done", "consent.revoked done"]),
                    "\(answer.line)")
                #expect(entries.last == "access-rule.changed done" && !answer.body.contains("org.rival"))
                #expect((answer.json["names"] as? [String: String])?["client:com.quizzler"] == "Quizzler")
            }
            // Rival was listed, and did nothing.
            let rival = try await user.send(.GET, "audit?app=Rival&action=roster")
            #expect(rival.status == 200 && rival.list("entries").isEmpty, "\(rival.line)")
            let unknown = try await user.send(.GET, "audit?app=Chess")
            #expect(unknown.status == 404 && unknown.json["subjectKind"] as? String == "app", "\(unknown.line)")
        }
    }

    @Test("the trail is asked over the API by all that it can be asked by, and names people only to who may see them")
    func list() async throws {
        try await APIUser.with { user in
            let nadia = user.server.maple.nadia
            _ = try await user.send(.POST, "people/PE-\(nadia.id.rawValue)/deactivate")
            let query = "audit?person=PE-\(nadia.id.rawValue)&action=person&outcome=done&limit=5"
            let answer = try await user.send(.GET, query)
            #expect(answer.list("entries").map { $0["detail"] as? String } == ["deactivated"], "\(answer.line)")
            #expect(
                (answer.json["names"] as? [String: String])?["person:\(nadia.id.rawValue)"] == nadia.fullName)
            let auditor = try await user.another(name: "Auditor", [.readAudit])
            let bare = try await auditor.send(.GET, query)
            #expect(bare.list("entries").count == 1 && !bare.body.contains(nadia.familyName), "\(bare.line)")
            for (bad, field) in [
                ("audit?action=x", "action"), ("audit?before=99999", "before"), ("audit?from=yesterday", "from"),
                ("audit?outcome=x", "outcome"), ("audit?limit=0", "limit"),
            ] {
                let refused = try await user.send(.GET, bad)
                #expect(refused.status == 422 && refused.json["field"] as? String == field, "\(refused.line)")
            }
            #expect(try await user.send(.GET, "audit?ofServer=true").status == 403)
        }
    }
}
