import Administration
import Directory
import Foundation
import Ground
import NIOHTTP1
import TestSupport
import Testing

@testable import TestServers

/// What an administrator is shown in the place of an app, beside what the app gets.
@Suite struct ViewAsAppTests {
    @Test("an administrator sees the very bytes that the app gets", arguments: TestDatabase.available)
    func sameBytes(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let (server, tokens) = (user.server, try await user.server.connect())
            let person = try #require(
                try await server.roster("/users?role=Student", tokens).list("users").first?["id"] as? String)
            let group = try #require(
                try await server.roster("/classes", tokens).list("classes").first?["id"] as? String)
            let calls = [
                "users", "users?role=Student", "users?role=instructor", "users/\(person)", "classes",
                "classes/\(group)",
                "classes/\(group)/users", "classes/\(group)/users?role=Student",
            ]
            let rules = [
                #"{"roles": ["Student"], "withheld": ["email", "family-name", "class-room"]}"#,
                #"{"grades": ["x"], "organizationItself": true, "locations": []}"#,
            ]
            for rule in [nil] + rules.map(Optional.some) {
                if let rule {
                    let set = try await user.send(.POST, "apps/Quizzler/sharing", json: rule)
                    #expect(set.status == 200, "\(set.line)")
                }
                for call in calls {
                    let sent = try await server.roster("/" + call, tokens)
                    let view = try await user.send(
                        .GET, "apps/Quizzler/sharing/view?call=\(FormEncoding.escape(call))")
                    if sent.status == 200 {
                        #expect(view.json["body"] as? String == sent.body, "\(call) \(view.line)")
                        #expect(view.json["mayRead"] as? Bool == true)
                    } else {
                        #expect(view.status == 409 && view.body.contains("404") && sent.status == 404, "\(view.line)")
                    }
                }
            }
        }
    }

    @Test("a page goes on as it does for the app, and bad calls say why they are bad")
    func pages() async throws {
        try await APIUser.with { user in
            let (server, tokens) = (user.server, try await user.server.connect())
            func view(_ call: String) async throws -> (answer: Answer, body: [String: Any]) {
                let answer = try await user.send(
                    .GET, "apps/Quizzler/sharing/view?call=\(FormEncoding.escape(call))")
                let body = (answer.json["body"] as? String ?? "{}").utf8
                return (answer, try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:])
            }
            let first = try await view("users?limit=1")
            let next = try #require(first.body["nextPageToken"] as? String)
            let second = try await view("users?limit=1&pageToken=\(next)").answer
            let sent = try await server.roster("/users?limit=2", tokens).list("users")
            #expect(second.body.contains(try #require(sent.last?["id"] as? String)))
            for (call, reason) in [
                ("users?limit=x", "limit must be a whole number"), ("users?role=x", "role must be"),
                ("users?limit=1&limit=2", "query"), ("locations", "404"), ("users/x", "404"),
            ] {
                let refused = try await view(call).answer
                #expect(refused.status >= 400 && refused.body.contains(reason), "\(call): \(refused.line)")
            }
            // Whoever may share data, but not read people, does not read them in the place of an app.
            let sharer = try await user.another(name: "Sharer", [.shareData])
            let refused = try await sharer.send(.GET, "apps/Quizzler/sharing/view?call=users")
            #expect(refused.status == 403 && refused.body.contains("people.read"), "\(refused.line)")
        }
    }
}
