import Administration
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage
import Synchronization
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

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

    @Test(
        "while a job runs, it says how far it has come, and has no answer yet", .timeLimit(.minutes(10)),
        arguments: TestDatabase.available)
    func progress(_ kind: TestDatabase) async throws {
        try await APIUser.with(on: kind, configure: { $0.jobInterval = .seconds(3_600) }) { user in
            let accepted = try await user.send(.POST, "passwords", json: #"{"role": "student", "all": true}"#)
            #expect(accepted.json["state"] as? String == "waiting", "\(accepted.line)")
            let path = try #require(accepted["Location"])
            let halting = HaltingDatabase(user.server.database)
            let worker = JobWorker(database: halting, services: APIUser.services(of: user.server))
            async let work: Void = worker.work()
            await halting.halted()
            let running = try await user.send(.GET, at: path)
            halting.goOn()
            try await work
            #expect(running.json["state"] as? String == "running", "\(running.line)")
            let (done, total) = (running.json["done"] as? Int ?? 0, running.json["total"] as? Int ?? 0)
            #expect(0 < done && done < total, "\(running.line)")
            #expect(running.json["answer"] == nil && running.json["endedAt"] == nil)
            let ended = try await user.ended(path)
            #expect(ended.json["state"] as? String == "done", "\(ended.line)")
            #expect(ended.json["done"] as? Int == total && Self.people(ended)?.count == total)
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

/// A database that halts as soon as it has the progress of a job, until it is told to go on.
private final class HaltingDatabase: Database {
    private typealias Signal = (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

    private let database: any Database
    private let halt: Signal = AsyncStream.makeStream(of: Void.self)
    private let rest: Signal = AsyncStream.makeStream(of: Void.self)
    private let hasHalted = Mutex(false)

    init(_ database: any Database) { self.database = database }

    /// Returns when it has halted.
    func halted() async { for await _ in halt.stream {} }

    func goOn() { rest.continuation.finish() }

    var dialect: Dialect { database.dialect }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value
    ) async throws -> Value { try await database.read(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await database.write(body)
        guard try await database.read({ try $0.exists("SELECT 1 FROM administration_job WHERE done_count > 0") }),
            hasHalted.withLock({ isHalted in
                defer { isHalted = true }
                return !isHalted
            })
        else { return value }
        halt.continuation.finish()
        for await _ in rest.stream {}
        return value
    }

    func session<Value: Sendable>(
        _ body: @escaping @Sendable (DatabaseSession) throws -> Value
    ) async throws -> Value { try await database.session(body) }

    func close() async {}
}
