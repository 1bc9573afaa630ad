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

/// Erasing a person over the API.
@Suite struct EraseAPITests {
    @Test(
        "it takes the version of the dry run, and answers with what went, what stays and who is told",
        arguments: TestDatabase.available)
    func erase(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let pupil = user.server.maple.ben
            let path = "people/PE-\(pupil.id.rawValue)/erase"
            let blind = try await user.send(.POST, path)
            #expect(blind.status == 422 && blind.json["field"] as? String == "version", "\(blind.line)")

            let preview = try await user.send(.POST, path + "?dryRun=true")
            #expect(preview.status == 200, "\(preview.line)")
            let version = try #require(preview.json["version"] as? String)
            #expect(preview["ETag"] == "\"\(version)\"")
            let edited = try await user.send(
                .POST, "people/PE-\(pupil.id.rawValue)/edit", json: #"{"lastName": "Núñez"}"#)
            #expect(edited.status == 200, "\(edited.line)")
            let stale = try await user.send(.POST, path, ["If-Match": "\"\(version)\""])
            #expect(stale.status == 412, "\(stale.line)")
            let now = try #require(stale.json["version"] as? String)
            let done = try await user.send(.POST, path, ["If-Match": "\"\(now)\""])
            #expect(done.status == 200, "\(done.line)")
            let result = try #require(done.json["result"] as? [String: Any])
            #expect(result["number"] as? Int == Int(pupil.id.rawValue))
            #expect((result["stays"] as? [String])?.isEmpty == false)
            #expect(done.json["change"] == nil)
            #expect(try await user.send(.GET, "people/PE-\(pupil.id.rawValue)").status == 404)
            let list = try await user.send(.GET, "erasures")
            #expect(list.list("erasures").compactMap { $0["number"] as? Int } == [Int(pupil.id.rawValue)])
        }
    }

    @Test("there is no bulk form, and a program cannot replay erasures")
    func noBulk() async throws {
        try await APIUser.with { user in
            let bulk = try await user.send(.POST, "bulk/person.erase", json: #"{"items": [{"person": "PE-1"}]}"#)
            #expect(bulk.status == 404, "\(bulk.line)")
            let replay = try await user.send(.POST, "erasures/replay", json: #"{"erasures": []}"#)
            #expect(replay.status == 403, "\(replay.line)")
        }
    }

    @Test("all that there is about a person is one answer, and an export in the trail")
    func data() async throws {
        try await APIUser.with { user in
            let pupil = user.server.maple.ben
            let answer = try await user.send(.GET, "people/PE-\(pupil.id.rawValue)/data")
            #expect(answer.status == 200, "\(answer.line)")
            #expect(answer.list("sections").compactMap { $0["name"] as? String }.prefix(2) == ["account", "roles"])
            let trail = try await user.send(.GET, "audit?action=person.exported")
            #expect(trail.list("entries").count == 1, "\(trail.line)")
            let reader = try await user.another(name: "Reader", [.readPeople])
            #expect(try await reader.send(.GET, "people/PE-\(pupil.id.rawValue)/data").status == 403)
        }
    }
}
