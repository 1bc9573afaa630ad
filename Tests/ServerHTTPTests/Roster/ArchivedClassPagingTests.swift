import Administration
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import TestServers

/// What apps see while classes are archived: docs/specifications/roster-api.md.
@Suite struct ArchivedClassPagingTests {
    @Test(
        "a class that is archived between two pages makes neither gaps nor repeats, and is found nowhere",
        arguments: TestDatabase.available)
    func betweenPages(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let server = user.server
            let tokens = try await server.connect()
            let (organization, now) = (server.maple.organization.id, server.fixed.now)
            let pupils = [server.maple.nadia.id, server.maple.ben.id]
            try await server.database.write { transaction in
                for number in 1...6 {
                    _ = try RosterClass.insert(
                        in: organization, name: "Class \(number)", students: pupils, at: now, in: transaction)
                }
            }
            let all = try await server.roster("/classes", tokens).ids("classes")
            let first = try await server.roster("/classes?limit=3", tokens)
            let next = try #require(first.json["nextPageToken"] as? String)
            // The last one of the first page, and the first one of the next.
            for id in [all[2], all[3]] {
                let members = try await server.roster("/classes/\(id)/users?limit=1", tokens)
                let page = try #require(members.json["nextPageToken"] as? String, "\(members.line)")
                let archived = try await user.send(.POST, "classes/\(id)/archive")
                #expect(archived.status == 200, "\(archived.line)")
                #expect(try await server.roster("/classes/\(id)", tokens).status == 404)
                #expect(try await server.roster("/classes/\(id)/users", tokens).status == 404)
                #expect(
                    try await server.roster("/classes/\(id)/users?limit=1&pageToken=\(page)", tokens).status == 404)
            }
            let rest = try await server.roster("/classes?limit=100&pageToken=\(next)", tokens)
            #expect(rest.ids("classes") == Array(all[4...]))
            #expect(try await server.roster("/classes", tokens).ids("classes") == Array(all[..<2] + all[4...]))

            for id in [all[2], all[3]] {
                #expect(try await user.send(.POST, "classes/\(id)/restore").status == 200)
            }
            #expect(try await server.roster("/classes", tokens).ids("classes") == all)
        }
    }

    @Test("a class is made, changed, archived and removed over the API, by its version")
    func operations() async throws {
        try await APIUser.with { user in
            let made = try await user.send(
                .POST, "classes", json: #"{"name": "合唱", "students": ["nadia@maple.example"]}"#)
            #expect(made.status == 200, "\(made.line)")
            let number = try #require((made.json["result"] as? [String: Any])?["number"] as? Int)
            let path = "classes/CL-\(number)"
            let seen = try #require(made["ETag"])
            #expect(try await user.send(.GET, path)["ETag"] == seen)
            #expect(try await user.send(.POST, path, ["If-Match": seen], json: #"{"room": "12"}"#).status == 200)
            #expect(try await user.send(.POST, path + "/archive", ["If-Match": seen]).status == 412)
            #expect(try await user.send(.DELETE, path).status == 409)
            #expect(try await user.send(.POST, path + "/archive").status == 200)
            #expect(try await user.send(.GET, "classes?archived=true").list("classes").count == 1)
            let preview = try await user.send(.DELETE, path + "?dryRun=true")
            #expect(preview.list("effects").first?["detail"] as? String == "with 1 students and 0 instructors")
            #expect(try await user.send(.DELETE, path).status == 200)
            #expect(try await user.send(.GET, path).status == 404)
        }
    }

    @Test(
        "closing a term takes its classes from apps, and opening it gives them back",
        arguments: TestDatabase.available)
    func terms(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let tokens = try await user.server.connect()
            let all = try await user.server.roster("/classes", tokens)
            let science = "CL-\(user.server.maple.science.rawValue)"
            let made = try await user.send(
                .POST, "terms", json: #"{"name": "2026/27", "firstDay": "2026-08-17", "lastDay": "2027-07-02"}"#)
            #expect(made.status == 200, "\(made.line)")
            #expect(try await user.send(.POST, "classes/\(science)", json: #"{"term": "2026/27"}"#).status == 200)
            let due = try await user.send(.GET, "calendar")
            #expect(due.list("dates").map { $0["on"] as? String } == ["2027-07-02"], "\(due.line)")
            user.server.fixed.advance(by: 1)
            let closed = try await user.send(.POST, "terms/2026%2F27/close")
            #expect(closed.status == 200, "\(closed.line)")
            let rest = try await user.server.roster("/classes", tokens).ids("classes")
            #expect(rest == all.ids("classes").filter { $0 != science })
            #expect(try await user.send(.POST, "terms/2026%2F27/close").status == 409)
            #expect(try await user.send(.POST, "terms/2026%2F27/reopen").status == 200)
            #expect(try await user.server.roster("/classes", tokens).ids("classes") == all.ids("classes"))
        }
    }
}
