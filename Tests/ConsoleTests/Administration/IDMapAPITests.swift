import Administration
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// Id maps over the API.
@Suite struct IDMapAPITests {
    private static func moves(_ numbers: ClosedRange<Int>) -> String {
        let items = numbers.map { #"{"kind": "person", "old": "old-\#($0)", "new": "new-\#($0)"}"# }
        return #"{"moves": [\#(items.joined(separator: ","))]}"#
    }

    private static func insertPeople(_ count: Int, _ user: APIUser) async throws {
        let (organization, now) = (user.server.maple.organization.id, user.server.fixed.now)
        try await user.server.database.write { transaction in
            for number in 1...count {
                _ = try Person.insert(
                    in: organization, sourceID: "old-\(number)", givenName: "P", familyName: "\(number)",
                    userName: "p\(number)@maple.example", at: now, in: transaction)
            }
        }
    }

    @Test("a long map is a job, whose answer has the number that takes it back", arguments: TestDatabase.available)
    func job(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            try await Self.insertPeople(1_100, user)
            let preview = try await user.send(.POST, "id-maps?dryRun=true", json: Self.moves(1...1_100))
            #expect(preview.list("effects").first?["detail"] as? String == "1100 people", "\(preview.line)")
            let accepted = try await user.send(.POST, "id-maps", json: Self.moves(1...1_100))
            #expect(accepted.status == 202, "\(accepted.line)")
            let job = try await user.ended(try #require(accepted["Location"]))
            let answer = try #require(job.json["answer"] as? [String: Any], "\(job.line)")
            #expect((answer["result"] as? [String: Any])?["people"] as? Int == 1_100)
            func moved() async throws -> Int {
                try await user.server.database.read {
                    try $0.first("SELECT COUNT(*) FROM person WHERE source_id = 'new-' || family_name") { try $0[0] }
                } ?? 0
            }
            #expect(try await moved() == 1_100)
            let change = try #require(answer["change"] as? Int)
            #expect(try await user.send(.POST, "changes/\(change)/undo").status == 200)
            #expect(try await moved() == 0)
        }
    }

    @Test(
        "apps know people and classes by the same ids before a map, with it, and after it is taken back",
        arguments: TestDatabase.available)
    func identifiers(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let (server, maple) = (user.server, user.server.maple)
            try await server.database.write { transaction in
                for table in ["person", "class"] {
                    try transaction.execute(
                        "UPDATE \(table) SET source_id = 'old-' || id WHERE organization_id = $1",
                        [maple.organization.id])
                }
            }
            let connection = try await server.connect()
            func known() async throws -> [String: [String]] {
                let signIns = [
                    try await server.tokens(as: maple.nadia).identity, try await server.tokens(as: maple.ben).identity,
                ]
                var subjects: [String] = []
                for token in signIns { subjects += [try await server.verified(token).claims["sub"] as? String ?? ""] }
                return [
                    "sub": subjects, "users": try await server.roster("/users", connection).ids("users"),
                    "classes": try await server.roster("/classes", connection).ids("classes"),
                ]
            }
            let before = try await known()
            #expect(before["sub"]?.allSatisfy { before["users"]?.contains($0) == true } == true, "\(before)")
            #expect(before["users"]?.count == maple.visibleCount && before["classes"]?.isEmpty == false)

            let moves =
                ([maple.nadia.id, maple.ben.id].map { ("person", $0.rawValue) } + [("class", maple.science.rawValue)])
                .map { #"{"kind": "\#($0)", "old": "old-\#($1)", "new": "new-\#($1)"}"# }
            let applied = try await user.send(
                .POST, "id-maps", json: #"{"moves": [\#(moves.joined(separator: ","))]}"#)
            #expect(applied.status == 200, "\(applied.line)")
            let map = try #require((applied.json["result"] as? [String: Any])?["map"] as? Int)
            let moved = try await user.send(.GET, "people/new-\(maple.nadia.id.rawValue)")
            #expect(moved.json["number"] as? Int == Int(maple.nadia.id.rawValue), "\(moved.line)")
            #expect(try await known() == before)

            let undone = try await user.send(.POST, "id-maps/\(map)/undo")
            #expect(undone.status == 200, "\(undone.line)")
            #expect(try await user.send(.GET, "people/new-\(maple.nadia.id.rawValue)").status == 404)
            #expect(try await known() == before)
        }
    }

    @Test("whoever may not make a map is told so before the map is read")
    func strangers() async throws {
        try await APIUser.with { user in
            let auditor = try await user.another(name: "Auditor", [.readAudit])
            #expect(try await auditor.send(.POST, "id-maps", json: "{").status == 403)
            #expect(try await user.send(.POST, "id-maps", json: "{").status == 422)
        }
    }

    @Test("a map with wrong lines is refused with each of them, at once or as a job")
    func refusals() async throws {
        try await APIUser.with { user in
            try await Self.insertPeople(1_010, user)
            let short = try await user.send(.POST, "id-maps", json: Self.moves(1_008...1_012))
            #expect(short.status == 422, "\(short.line)")
            #expect(short.json["type"] as? String == "urn:lanyard:problem:items")
            #expect(short.list("items").compactMap { $0["index"] as? Int } == [3, 4])
            let accepted = try await user.send(.POST, "id-maps", json: Self.moves(1...1_011))
            let job = try await user.ended(try #require(accepted["Location"]))
            let failure = try #require(job.json["failure"] as? [String: Any], "\(job.line)")
            #expect((failure["items"] as? [[String: Any]])?.compactMap { $0["index"] as? Int } == [1_010])
            #expect(try await user.server.count("id_map") == 0)
            let unknown = try await user.send(
                .POST, "id-maps", json: #"{"moves": [{"kind": "pupil", "old": "old-1", "new": "x"}]}"#)
            #expect((400..<500).contains(unknown.status))
            #expect(try await user.send(.POST, "id-maps/7/undo").status == 404)
            #expect(try await user.send(.POST, "id-maps/x/undo").status == 404)
        }
    }
}
