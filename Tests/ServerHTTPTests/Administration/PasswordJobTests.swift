import Administration
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import TestSupport
import Testing

@testable import ServerHTTP

/// Passwords for many people, over the API.
@Suite struct PasswordJobTests {
    private static func credentials(_ user: APIUser) async throws -> Int { try await user.server.count("credential") }

    @Test(
        "passwords come with the job that made them, for whoever asked, for an hour",
        arguments: TestDatabase.available)
    func job(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind) { user in
            let accepted = try await user.send(.POST, "passwords", json: #"{"role": "student", "all": true}"#)
            #expect(accepted.status == 202, "\(accepted.line)")
            let path = try #require(accepted["Location"])
            let job = try await user.ended(path)
            let people = try #require(Self.people(job))
            #expect(!people.isEmpty && people.allSatisfy { $0["password"] is String }, "\(job.line)")
            #expect(job.json["done"] as? Int == people.count && job.json["total"] as? Int == people.count)
            // It can be fetched again, should the first answer have been lost on the way.
            #expect(Self.people(try await user.ended(path))?.count == people.count)
            // Neither other programs nor a copy of the database have it.
            let id = try #require(path.split(separator: "/").last)
            #expect(try await user.another(name: "Library").send(.GET, "jobs/\(id)").status == 404)
            let replies = try await user.server.database.read { transaction in
                try transaction.all("SELECT reply FROM administration_job", []) { try $0["reply"] as [UInt8] }
            }
            let password = try #require(people[0]["password"] as? String)
            #expect(replies.count == 1 && !replies[0].isEmpty)
            #expect(replies.allSatisfy { Data($0).range(of: Data(password.utf8)) == nil })
            user.server.fixed.advance(by: 3_601)
            try await user.server.database.write { try Job.deleteOld(at: user.server.fixed.now, in: $0) }
            #expect(try await user.renewed().send(.GET, "jobs/\(id)").json["answer"] == nil)
        }
    }

    @Test("a dry run says who and how many, and gives nobody a password")
    func dryRun() async throws {
        try await APIUser.with { user in
            let before = try await Self.credentials(user)
            let preview = try await user.send(
                .POST, "passwords?dryRun=true", json: #"{"role": "student", "all": true}"#)
            let count = (preview.json["counts"] as? [String: Int])?["password.issued"] ?? 0
            #expect(count > 0 && preview.list("effects").count == count, "\(preview.line)")
            #expect(preview.list("effects").allSatisfy { ($0["name"] as? String)?.isEmpty == false })
            #expect(try await Self.credentials(user) == before)
        }
    }

    @Test(
        "a server that dies while passwords are made has given none; the next one gives them once",
        arguments: TestDatabase.available)
    func dies(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind, configure: { $0.jobInterval = .seconds(3_600) }) { user in
            try await user.server.database.write { try $0.execute("DELETE FROM credential") }
            let accepted = try await user.send(.POST, "passwords", json: #"{"role": "student"}"#)
            let worker = JobWorker(database: user.server.database, services: APIUser.services(of: user.server))
            // The work ends where it is, as it does with the process.
            let work = Task { try await worker.work() }
            work.cancel()
            _ = await work.result
            #expect(try await Self.credentials(user) == 0)
            user.server.fixed.advance(by: 61)
            try await worker.work()
            let job = try await user.ended(try #require(accepted["Location"]))
            let people = try #require(Self.people(job), "\(job.line)")
            #expect(try await Self.credentials(user) == people.count && !people.isEmpty)
        }
    }

    @Test("who lacks the privilege, names what is not there, or sends nonsense gets no job")
    func refusals() async throws {
        try await APIUser.with { user in
            let reader = try await user.another(name: "Library", [.readPeople])
            #expect(try await reader.send(.POST, "passwords", json: "{}").status == 403)
            for (input, status) in [
                (#"{"class": "Alchemy"}"#, 404), (#"{"at": "Hogwarts"}"#, 404), (#"{"role": "king"}"#, 422),
                (#"{"all": "yes"}"#, 422), (#"{"shoe": 1}"#, 422), (#"{"letters": 1}"#, 422),
                // This server sends no mail.
                (#"{"letters": true}"#, 409),
            ] {
                #expect(try await user.send(.POST, "passwords", json: input).status == status, "\(input)")
            }
            #expect(try await user.server.count("administration_job") == 0)
        }
    }

    private static func people(_ job: Answer) -> [[String: Any]]? {
        ((job.json["answer"] as? [String: Any])?["result"] as? [String: Any])?["people"] as? [[String: Any]]
    }
}
