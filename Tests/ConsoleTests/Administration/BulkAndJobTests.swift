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

/// Many changes in one request, and changes in the background.
@Suite struct BulkAndJobTests {
    private static func people(_ count: Int, wrong: Set<Int> = []) -> String {
        let items = (0..<count).map { index in
            let name = wrong.contains(index) ? "not an address" : "newcomer\(index)@maple.example"
            return #"{"firstName": "Pupil", "lastName": "Number \#(index)", "userName": "\#(name)", "role": "student"}"#
        }
        return "[\(items.joined(separator: ","))]"
    }

    @Test("all or none: one wrong item of many changes nothing, and is named", arguments: TestDatabase.available)
    func all(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let before = try await (user.server.count("person"), user.server.count("audit_entry"))
            let refused = try await user.send(
                .POST, "bulk/person.add", json: #"{"items": \#(Self.people(300, wrong: [217]))}"#)
            #expect(refused.status == 422, "\(refused.line)")
            #expect(refused.json["type"] as? String == "urn:lanyard:problem:items")
            #expect(refused.list("items").compactMap { $0["index"] as? Int } == [217])
            #expect(refused.list("items").first?["field"] as? String == "user name")
            let after = try await (user.server.count("person"), user.server.count("audit_entry"))
            #expect(before == after)

            let done = try await user.send(.POST, "bulk/person.add", json: #"{"items": \#(Self.people(300))}"#)
            #expect(done.status == 200, "\(done.line)")
            #expect(try await user.server.count("person") == before.0 + 300)
        }
    }

    @Test("each that can be done: the others are reported, and change nothing", arguments: TestDatabase.available)
    func each(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let before = try await user.server.count("person")
            let done = try await user.send(
                .POST, "bulk/person.add",
                json: #"{"mode": "each", "items": \#(Self.people(50, wrong: [3, 40]))}"#)
            let result = try #require(done.json["result"] as? [String: Any])
            #expect(result["done"] as? Int == 48 && result["failed"] as? Int == 2)
            let items = try #require(result["items"] as? [[String: Any]])
            #expect(items.indices.filter { items[$0]["failure"] != nil } == [3, 40])
            #expect(try await user.server.count("person") == before + 48)
            // Each has a number by which it alone is taken back.
            let change = try #require(items[7]["change"] as? Int)
            #expect(try await user.send(.POST, "changes/\(change)/undo").status == 200)
        }
    }

    @Test("the last of ten thousand is wrong: all or none does nothing, each does the others; one more is too many")
    func tenThousand() async throws {
        try await APIUser.with { user in
            // Ten names again and again: what counts here is how many items there are.
            func body(_ count: Int, mode: String) -> String {
                let names = (1..<count).map { "d\($0 % 10).maple.example" } + ["no domain"]
                let items = names.map { #"{"domain": "\#($0)"}"# }.joined(separator: ",")
                return #"{"mode": "\#(mode)", "items": [\#(items)]}"#
            }
            func ended(_ mode: String) async throws -> Answer {
                let accepted = try await user.send(.POST, "bulk/domain.add", json: body(10_000, mode: mode))
                #expect(accepted.status == 202, "\(accepted.line)")
                return try await user.ended(try #require(accepted["Location"]))
            }
            let before = try await (user.server.count("domain"), user.server.count("administration_change"))
            let none = try await ended("all")
            #expect(none.json["state"] as? String == "failed", "\(none.line)")
            let failure = try #require(none.json["failure"] as? [String: Any])
            let wrong = try #require(failure["items"] as? [[String: Any]])
            #expect(failure["kind"] as? String == "items")
            #expect(wrong.compactMap { $0["index"] as? Int } == [9_999])
            #expect(wrong.first?["field"] as? String == "domain")
            let after = try await (user.server.count("domain"), user.server.count("administration_change"))
            #expect(before == after)

            let others = try await ended("each")
            let answer = try #require(others.json["answer"] as? [String: Any], "\(others.line)")
            let result = try #require(answer["result"] as? [String: Any])
            #expect(result["done"] as? Int == 9_999 && result["failed"] as? Int == 1)
            let items = try #require(result["items"] as? [[String: Any]])
            #expect(items.count == 10_000 && items.indices.filter { items[$0]["failure"] != nil } == [9_999])
            #expect(try await user.server.count("domain") == before.0 + 10)

            // At once, and not by a job that fails.
            for mode in ["all", "each"] {
                let refused = try await user.send(.POST, "bulk/domain.add", json: body(10_001, mode: mode))
                #expect(refused.status == 422 && refused.json["field"] as? String == "items", "\(refused.line)")
            }
            #expect(try await user.server.count("administration_job") == 2)
            #expect(try await user.server.count("domain") == before.0 + 10)
        }
    }

    @Test("a dry run of many says what would be changed, and changes nothing")
    func dryRun() async throws {
        try await APIUser.with { user in
            let before = try await user.server.count("person")
            let preview = try await user.send(
                .POST, "bulk/person.add?dryRun=true", json: #"{"items": \#(Self.people(40))}"#)
            #expect((preview.json["counts"] as? [String: Int])?["person.created"] == 40, "\(preview.line)")
            #expect(try await user.server.count("person") == before)
        }
    }

    @Test("bulk asks for each item who may do it")
    func places() async throws {
        try await APIUser.with { user in
            let stranger = try await user.another(name: "Library", [.readPeople])
            #expect(
                try await stranger.send(.POST, "bulk/person.add", json: #"{"items": \#(Self.people(2))}"#).status
                    == 403)
            let none = try await user.send(.POST, "bulk/person.add", json: #"{"items": []}"#)
            #expect(none.status == 422 && none.json["field"] as? String == "items")
        }
    }

    @Test("what takes long is done in the background and answered there", arguments: TestDatabase.available)
    func job(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let before = try await user.server.count("person")
            let accepted = try await user.send(
                .POST, "bulk/person.add", ["Prefer": "respond-async"], json: #"{"items": \#(Self.people(30))}"#)
            #expect(accepted.status == 202, "\(accepted.line)")
            #expect(accepted["Preference-Applied"] == "respond-async")
            let path = try #require(accepted["Location"])
            let job = try await user.ended(path)
            #expect(job.json["state"] as? String == "done", "\(job.line)")
            let answer = try #require(job.json["answer"] as? [String: Any])
            #expect((answer["result"] as? [String: Any])?["done"] as? Int == 30)
            #expect(try await user.server.count("person") == before + 30)
            // Nobody else finds it, whatever they may do.
            let other = try await user.another(name: "Library")
            let id = try #require(path.split(separator: "/").last)
            #expect(try await other.send(.GET, "jobs/\(id)").status == 404)
            // After an hour the answer is forgotten, and after a month the job.
            user.server.fixed.advance(by: 3_601)
            try await user.server.database.write { try Job.deleteOld(at: user.server.fixed.now, in: $0) }
            let later = try await user.renewed()
            #expect(try await later.send(.GET, "jobs/\(id)").json["answer"] == nil)
            user.server.fixed.advance(by: 31 * 86_400)
            try await user.server.database.write { try Job.deleteOld(at: user.server.fixed.now, in: $0) }
            #expect(try await user.renewed().send(.GET, "jobs/\(id)").status == 404)
        }
    }

    @Test("a job that cannot be done says why, and has changed nothing")
    func failed() async throws {
        try await APIUser.with { user in
            let before = try await user.server.count("person")
            let accepted = try await user.send(
                .POST, "bulk/person.add", ["Prefer": "respond-async"],
                json: #"{"items": \#(Self.people(20, wrong: [5]))}"#)
            let job = try await user.ended(try #require(accepted["Location"]))
            #expect(job.json["state"] as? String == "failed", "\(job.line)")
            let failure = try #require(job.json["failure"] as? [String: Any])
            #expect(failure["kind"] as? String == "items")
            #expect(try await user.server.count("person") == before)
        }
    }

    @Test("a job is done with the rights that its program has when it is its turn", arguments: TestDatabase.available)
    func revoked(_ kind: TestDatabase) async throws {
        // The server's own worker looks once, when the server starts.
        try await APIUser.with(on: kind, configure: { $0.jobInterval = .seconds(3_600) }) { user in
            let before = try await user.server.count("person")
            let accepted = try await user.send(
                .POST, "bulk/person.add", ["Prefer": "respond-async"], json: #"{"items": \#(Self.people(20))}"#)
            #expect(accepted.json["state"] as? String == "waiting", "\(accepted.line)")
            try await user.revoke()
            try await JobWorker(database: user.server.database, services: APIUser.services(of: user.server)).work()
            let failures = try await user.server.database.read { transaction in
                try transaction.all("SELECT failure FROM administration_job", []) { try $0["failure"] as String }
            }
            #expect(failures.count == 1 && failures[0].contains(#""kind":"unauthorized""#), "\(failures)")
            #expect(try await user.server.count("person") == before)
        }
    }

    @Test("a job whose server has died is done by the next one; its input is then forgotten")
    func taken() async throws {
        try await APIUser.with(configure: { $0.jobInterval = .seconds(3_600) }) { user in
            let before = try await user.server.count("person")
            let accepted = try await user.send(
                .POST, "bulk/person.add", ["Prefer": "respond-async"], json: #"{"items": \#(Self.people(20))}"#)
            let worker = JobWorker(database: user.server.database, services: APIUser.services(of: user.server))
            try await user.server.database.write { transaction in
                try transaction.execute(
                    "UPDATE administration_job SET attempts = 1, leased_until = $1",
                    [user.server.fixed.now.addingTimeInterval(30)])
            }
            try await worker.work()
            #expect(try await user.server.count("person") == before)
            user.server.fixed.advance(by: 31)
            try await worker.work()
            let job = try await user.ended(try #require(accepted["Location"]))
            #expect(job.json["state"] as? String == "done", "\(job.line)")
            #expect(try await user.server.count("person") == before + 20)
            let inputs = try await user.server.database.read { transaction in
                try transaction.all("SELECT input FROM administration_job", []) { try $0["input"] as [UInt8] }
            }
            #expect(inputs == [[]])
        }
    }
}
