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

/// A request whose answer was lost is sent again with the same key. draft-ietf-httpapi-idempotency-key-header.
@Suite struct RepeatedRequestTests {
    private static let jun =
        #"{"firstName": "Jun", "lastName": "Kim", "userName": "jun@maple.example", "role": "student"}"#
    private static let key = ["Idempotency-Key": "\"6f0c1d4e-0d35-4f6e\""]

    @Test("the same request with the same key is done once and answered the same", arguments: TestDatabase.available)
    func again(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let first = try await user.send(.POST, "people", Self.key, json: Self.jun)
            #expect(first.status == 200, "\(first.line)")
            let people = try await user.server.count("person")
            let entries = try await user.server.count("audit_entry")
            let again = try await user.send(.POST, "people", Self.key, json: Self.jun)
            #expect(again.status == 200 && again.body == first.body)
            #expect(again["ETag"] == first["ETag"])
            #expect(try await user.server.count("person") == people)
            #expect(try await user.server.count("audit_entry") == entries)
            // A day later the key counts as new, and the user name is taken.
            user.server.fixed.advance(by: 86_401)
            let token = try await user.renewed()
            #expect(try await token.send(.POST, "people", Self.key, json: Self.jun).status != 200)
        }
    }

    @Test("a secret is answered again too, and is nowhere to be read in the database")
    func secrets() async throws {
        try await APIUser.with { user in
            let first = try await user.send(.POST, "people/ben%40maple.example/password", Self.key)
            let password = try #require((first.json["result"] as? [String: Any])?["password"] as? String)
            let again = try await user.send(.POST, "people/ben%40maple.example/password", Self.key)
            #expect(again.body == first.body)
            let stored = try await user.server.database.read { transaction in
                try transaction.all("SELECT reply FROM administration_reply", []) { try $0["reply"] as [UInt8] }
            }
            #expect(stored.count == 1)
            #expect(stored.allSatisfy { Data($0).range(of: Data(password.utf8)) == nil })
        }
    }

    @Test("a key that was used for another request, or cannot be one, is refused and nothing is changed")
    func otherRequest() async throws {
        try await APIUser.with { user in
            #expect(try await user.send(.POST, "people", Self.key, json: Self.jun).status == 200)
            let people = try await user.server.count("person")
            let other = try await user.send(
                .POST, "people", Self.key, json: Self.jun.replacingOccurrences(of: "jun@", with: "jan@"))
            #expect(other.status == 422 && other.json["field"] as? String == "Idempotency-Key header")
            for key in ["short", String(repeating: "x", count: 256), "6f0c1d4e 0d35 4f6e 8a00"] {
                let answer = try await user.send(
                    .POST, "people", ["Idempotency-Key": key],
                    json: Self.jun.replacingOccurrences(of: "jun@", with: "jan@"))
                #expect(answer.status == 422, "\(key)")
            }
            #expect(try await user.server.count("person") == people)
        }
    }

    @Test("the same key at the same time makes one person", arguments: TestDatabase.available)
    func atOnce(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let people = try await user.server.count("person")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await user.send(.POST, "people", Self.key, json: Self.jun).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(200) && Set(statuses).isSubset(of: [200, 409, 422]), "\(statuses)")
            #expect(try await user.server.count("person") == people + 1)
        }
    }

    @Test("a key is that of its caller: whoever else uses it gets nothing of the answer")
    func otherCaller() async throws {
        try await APIUser.with { user in
            #expect(
                try await user.send(.POST, "people/ben%40maple.example/password", Self.key).status == 200)
            let other = try await user.another(name: "Library", [.readPeople])
            #expect(try await other.send(.POST, "people/ben%40maple.example/password", Self.key).status == 403)
        }
    }
}
