import Directory
import Fixtures
import Foundation
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Pages of the roster: docs/specifications/roster-api.md, 3.
@Suite struct PagingTests {
    @Test("limit is 100 by default and 1000 at most, and more is taken for that", arguments: TestDatabase.available)
    func limits(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, studentCount: 1_010) { server in
            let tokens = try await server.connect()
            let sizes = [
                "": 100, "?limit=200": 200, "?limit=1000": 1_000, "?limit=1001": 1_000,
                "?limit=99999999999999999999": 1_000, "?limit=0007": 7,
            ]
            for (query, size) in sizes {
                #expect(try await server.roster("/users\(query)", tokens).list("users").count == size, "\(query)")
            }
        }
    }

    @Test("the order is the one of making, and stays when somebody is renamed")
    func order() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let before = try await server.roster("/users", tokens)
            #expect(
                before.list("users").map { $0["givenName"] as? String ?? "" }
                    == ["Ada", "Sam", "Paula", "Tara", "Nadia", "Ben", "Pupil0", "Pupil1", "Pupil2"])
            let nadia = server.maple.nadia.id
            try await server.database.write {
                try $0.execute("UPDATE person SET given_name = 'Aaliyah' WHERE id = $1", [nadia])
            }
            #expect(try await server.roster("/users", tokens).ids("users") == before.ids("users"))
        }
    }

    @Test("a page token is short and URL-safe, and outlives the access token by a day")
    func tokenLife() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let first = try await server.roster("/users?limit=2", tokens)
            let next = try #require(first.json["nextPageToken"] as? String)
            #expect(next.utf8.count <= 64)
            #expect(
                next.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })

            server.fixed.advance(by: 24 * 3_600)
            let refreshed = try await server.refresh(tokens.refresh, server.quizzler).json["access_token"] as? String
            let second = try await server.roster("/users?limit=2&pageToken=\(next)", bearer: try #require(refreshed))
            #expect(second.status == 200)
            #expect(Set(first.ids("users")).isDisjoint(with: second.ids("users")))
        }
    }

    @Test("who comes and goes between two pages makes neither gaps nor repeats", arguments: TestDatabase.available)
    func changes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (tokens, maple) = (try await server.connect(), server.maple)
            let all = try await server.roster("/users", tokens).ids("users")
            let first = try await server.roster("/users?limit=6", tokens)
            let next = try #require(first.json["nextPageToken"] as? String)
            let now = server.fixed.now
            try await server.database.write { transaction in
                // The last one of the first page goes, somebody new comes.
                try maple.ben.deactivate(at: now, in: transaction)
                let person = try Person.insert(
                    in: maple.organization.id, givenName: "Zed", familyName: "New", userName: "zed@maple.example",
                    at: now, in: transaction)
                try RoleAssignment(.student, at: nil).insert(
                    for: person.id, of: maple.organization.id, at: now, in: transaction)
            }
            let rest = try await server.roster("/users?pageToken=\(next)", tokens)
            #expect(first.ids("users") + rest.ids("users").dropLast() == all)
            #expect(rest.list("users").last?["givenName"] as? String == "Zed")
        }
    }

    @Test("a page token is good for its app, organization and endpoint alone")
    func binding() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let rival = try await server.connect(server.rival)
            let birch = try await server.connect(as: server.scene.birch.administrator)
            let science = "/classes/CL-\(server.maple.science.rawValue)/users"
            let hall = "/classes/CL-\(server.maple.hall.rawValue)/users"
            let ofUsers = try #require(
                try await server.roster("/users?limit=1", tokens).json["nextPageToken"] as? String)
            let ofClass = try #require(
                try await server.roster("\(science)?limit=1", tokens).json["nextPageToken"] as? String)

            #expect(try await server.roster("/users?pageToken=\(ofUsers)", tokens).status == 200)
            #expect(try await server.roster("\(science)?pageToken=\(ofClass)", tokens).status == 200)
            for (path, others) in [
                ("/users?pageToken=\(ofUsers)", rival), ("/users?pageToken=\(ofUsers)", birch),
                ("/classes?pageToken=\(ofUsers)", tokens), ("/locations?pageToken=\(ofUsers)", tokens),
                ("\(science)?pageToken=\(ofUsers)", tokens), ("\(hall)?pageToken=\(ofClass)", tokens),
                ("/users?pageToken=\(ofClass)", tokens),
            ] {
                #expect(try await server.roster(path, others).status == 400, "\(path)")
            }
        }
    }

    @Test("the filter travels in the token; another role is refused, another limit is taken")
    func filter() async throws {
        try await TestServer.with(studentCount: 12) { server in
            let tokens = try await server.connect()
            let first = try await server.roster("/users?role=Student&limit=2", tokens)
            let next = try #require(first.json["nextPageToken"] as? String)
            let second = try await server.roster("/users?pageToken=\(next)&limit=3", tokens)
            #expect(second.list("users").count == 3)
            #expect(second.list("users").allSatisfy { $0["roles"] as? [String] == ["Student"] })
            #expect(try await server.roster("/users?pageToken=\(next)&role=student", tokens).status == 200)
            #expect(try await server.roster("/users?pageToken=\(next)&role=Staff", tokens).status == 400)
            // A token without filter takes none on the way.
            let all = try #require(try await server.roster("/users?limit=1", tokens).json["nextPageToken"] as? String)
            #expect(try await server.roster("/users?pageToken=\(all)&role=Student", tokens).status == 400)
        }
    }

    @Test("the last page and an empty one say so, without a token")
    func lastPage() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let exact = try await server.roster("/users?limit=\(server.maple.visibleCount)", tokens)
            #expect(exact.json["moreToFollow"] as? Bool == false)
            #expect(exact.json["nextPageToken"] == nil)
            let empty = try await server.roster("/classes/CL-\(server.maple.hall.rawValue)/users", tokens)
            #expect(empty.line == #"200 {"users":[],"moreToFollow":false}"#)
        }
    }

    @Test("an expired page token is 400, and page one works again")
    func expiry() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let next = try #require(try await server.roster("/users?limit=1", tokens).json["nextPageToken"] as? String)
            server.fixed.advance(by: 48 * 3_600)
            let refreshed = try await server.refresh(tokens.refresh, server.quizzler).json["access_token"] as? String
            let access = try #require(refreshed)
            #expect(try await server.roster("/users?pageToken=\(next)", bearer: access).status == 400)
            #expect(try await server.roster("/users", bearer: access).status == 200)
        }
    }

    @Test("pageToken wins over nextPageToken")
    func bothTokens() async throws {
        try await TestServer.with { server in
            let tokens = try await server.connect()
            let next = try #require(try await server.roster("/users?limit=1", tokens).json["nextPageToken"] as? String)
            #expect(try await server.roster("/users?pageToken=\(next)&nextPageToken=bad", tokens).status == 200)
            #expect(try await server.roster("/users?pageToken=bad&nextPageToken=\(next)", tokens).status == 400)
        }
    }
}
