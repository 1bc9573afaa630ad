import Fixtures
import Foundation
import Outbox
import Storage
import TestSupport
import Testing

@Suite struct OutboxTests {
    private static let migrations = [
        Migration(
            1, "Letters that wait",
            sql: """
                CREATE TABLE letter (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    receiver INTEGER NOT NULL,
                    text TEXT NOT NULL,
                    created_at INTEGER NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    next_attempt_at INTEGER,
                    last_error TEXT
                ) STRICT;
                """)
    ]

    private struct Letter: OutboxMessage {
        let id: Int
        let attempts: Int
        let text: String
    }

    /// Letters, and a clock that is moved by hand.
    private struct Post {
        static let outbox = Outbox(table: "letter", secrets: ["text"], pauses: [10, 60, 300], lease: 60)

        let database: any Database
        let fixed = FixedSurroundings()

        func enqueue(_ text: String = "Hello", to receiver: Int = 1) async throws {
            let now = fixed.now
            try await database.write {
                try $0.execute(
                    "INSERT INTO letter (receiver, text, created_at, next_attempt_at) VALUES ($1, $2, $3, $3)",
                    [receiver, text, now])
            }
        }

        func take(_ limit: Int = 100, to receiver: Int? = nil) async throws -> [Letter] {
            let now = fixed.now
            return try await database.write { transaction in
                try Self.outbox.take(
                    limit: limit, where: receiver.map { ("receiver", $0) }, columns: "id, attempts, text", at: now,
                    in: transaction
                ) { Letter(id: try $0[0], attempts: try $0[1], text: try $0[2]) }
            }
        }

        var hasDue: Bool {
            get async throws {
                let now = fixed.now
                return try await database.read { try Self.outbox.hasDue(at: now, in: $0) }
            }
        }

        func recordFailure(of letter: Letter, isPermanent: Bool = false) async throws -> Date? {
            let now = fixed.now
            return try await database.write {
                try Self.outbox.recordFailure(
                    of: letter, error: "nobody is in", isPermanent: isPermanent, at: now, in: $0)
            }
        }

        var backlog: Outbox.Backlog {
            get async throws { try await database.read { try Self.outbox.backlog(in: $0) } }
        }

        var texts: [String] {
            get async throws {
                try await database.read { try $0.all("SELECT text FROM letter ORDER BY id") { try $0[0] } }
            }
        }
    }

    private func withPost(_ kind: TestDatabase, _ body: (Post) async throws -> Void) async throws {
        try await kind.with(migrations: Self.migrations) { try await body(Post(database: $0)) }
    }

    @Test("the longest due is taken first, and what was taken is not due", arguments: TestDatabase.available)
    func order(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            #expect(try await !post.hasDue)
            post.fixed.advance(by: 1)
            try await post.enqueue("second")
            post.fixed.advance(by: -1)
            try await post.enqueue("first")
            post.fixed.advance(by: 1)
            #expect(try await post.hasDue)
            #expect(try await post.take(1).map(\.text) == ["first"])
            #expect(try await post.take(1).map(\.text) == ["second"])
            #expect(try await !post.hasDue)
            #expect(try await post.take().isEmpty)
        }
    }

    @Test("what one receiver gets can be taken alone", arguments: TestDatabase.available)
    func receiver(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue("for one", to: 1)
            try await post.enqueue("for two", to: 2)
            #expect(try await post.take(to: 2).map(\.text) == ["for two"])
            #expect(try await post.take(to: 2).isEmpty)
            #expect(try await post.take(to: 1).map(\.text) == ["for one"])
        }
    }

    @Test(
        "what was queued by a clock ten days ahead is due when the clock is right, once",
        arguments: TestDatabase.available)
    func clockAhead(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            post.fixed.advance(by: 10 * 86_400)
            try await post.enqueue()
            post.fixed.advance(by: -10 * 86_400)
            #expect(try await post.hasDue)
            #expect(try await post.take().count == 1)
            #expect(try await !post.hasDue)
            #expect(try await post.take().isEmpty)
        }
    }

    @Test(
        "a message that was given up meanwhile stays so, whatever its attempt ends with",
        arguments: TestDatabase.available)
    func givenUpMeanwhile(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue()
            let letter = try #require(try await post.take().first)
            try await post.database.write {
                try Post.outbox.giveUp(where: "id = $1", lastError: "'too old'", [letter.id], in: $0)
            }
            #expect(try await post.recordFailure(of: letter) == nil)
            post.fixed.advance(by: 86_400)
            #expect(try await !post.hasDue)
            #expect(try await post.texts == [""])
        }
    }

    @Test("the longest pause and a lease after it are not taken for a wrong clock", arguments: TestDatabase.available)
    func longestPause(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            let latest = post.fixed.now + 300 + 60
            try await post.enqueue()
            try await post.database.write { try $0.execute("UPDATE letter SET next_attempt_at = $1", [latest]) }
            #expect(try await !post.hasDue)
            try await post.database.write { try $0.execute("UPDATE letter SET next_attempt_at = $1", [latest + 1]) }
            #expect(try await post.hasDue)
        }
    }

    @Test(
        "a failed message comes back after each pause, until it is given up, blanked and forgotten",
        arguments: TestDatabase.available)
    func backoff(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue("secret")
            for (attempt, pause) in Post.outbox.pauses.enumerated() {
                let letter = try #require(try await post.take().first)
                #expect(letter.attempts == attempt)
                #expect(letter.text == "secret")
                #expect(try await post.recordFailure(of: letter) == post.fixed.now + pause)
                post.fixed.advance(by: pause - 1)
                #expect(try await post.take().isEmpty)
                post.fixed.advance(by: 1)
            }
            #expect(try await post.backlog == .init(waiting: 1, givenUp: 0, lastError: "nobody is in"))
            let last = try #require(try await post.take().first)
            #expect(try await post.recordFailure(of: last) == nil)
            #expect(try await post.texts == [""])
            #expect(try await post.backlog == .init(waiting: 0, givenUp: 1, lastError: "nobody is in"))
            #expect(try await !post.hasDue)

            let month = post.fixed.now - 373 + 30 * 86_400
            for (time, isOld) in [(month - 1, false), (month + 3, true)] {
                #expect(try await post.database.read { try Post.outbox.hasOld(at: time, in: $0) } == isOld)
                try await post.database.write { try Post.outbox.deleteOld(at: time, in: $0) }
                #expect(try await post.texts.isEmpty == isOld)
            }
        }
    }

    @Test("what waits is not forgotten, however old it is", arguments: TestDatabase.available)
    func oldButWaiting(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue()
            let later = post.fixed.now + 365 * 86_400
            #expect(try await post.database.read { try !Post.outbox.hasOld(at: later, in: $0) })
            try await post.database.write { try Post.outbox.deleteOld(at: later, in: $0) }
            #expect(try await post.texts == ["Hello"])
        }
    }

    @Test("a failure for good is not tried again, and nothing of it stays", arguments: TestDatabase.available)
    func permanent(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue("secret")
            let letter = try #require(try await post.take().first)
            #expect(try await post.recordFailure(of: letter, isPermanent: true) == nil)
            post.fixed.advance(by: 365 * 86_400)
            #expect(try await !post.hasDue)
            #expect(try await post.texts == [""])
            #expect(try await post.backlog == .init(waiting: 0, givenUp: 1, lastError: "nobody is in"))
        }
    }

    @Test("what is given up without an attempt is blanked, and says why", arguments: TestDatabase.available)
    func givenUp(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            try await post.enqueue("secret", to: 1)
            try await post.enqueue("kept", to: 2)
            try await post.database.write {
                try Post.outbox.giveUp(where: "receiver = $1", lastError: "$2", [1, "has moved"], in: $0)
            }
            #expect(try await post.texts == ["", "kept"])
            #expect(try await post.backlog == .init(waiting: 1, givenUp: 1, lastError: "has moved"))
            #expect(try await post.take().map(\.text) == ["kept"])
        }
    }

    @Test("a failure can be counted for all that wait for one receiver", arguments: TestDatabase.available)
    func failureOfMany(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            for receiver in [1, 1, 2] { try await post.enqueue(to: receiver) }
            let now = post.fixed.now
            try await post.database.write {
                try Post.outbox.recordFailure(where: "receiver = $3", 1, error: "away", at: now, in: $0)
            }
            #expect(try await post.take().map(\.attempts) == [0])
            post.fixed.advance(by: 10)
            #expect(try await post.take().map(\.attempts) == [1, 1])
        }
    }

    @Test(
        "of several who take at once each message goes to one, and after a crash it comes back",
        arguments: TestDatabase.available)
    func takers(_ kind: TestDatabase) async throws {
        try await withPost(kind) { post in
            for number in 0..<12 { try await post.enqueue("\(number)") }
            let taken = await concurrently(0..<6) { _ in
                do {
                    return try await post.take(5).map(\.id)
                } catch {
                    Issue.record(error)
                    return []
                }
            }
            #expect(taken.allSatisfy { $0.count <= 5 })
            #expect(taken.flatMap { $0 }.count == 12)
            #expect(Set(taken.flatMap { $0 }).count == 12)
            // The workers that took them have crashed: none has reported a result.
            post.fixed.advance(by: 59)
            #expect(try await post.take().isEmpty)
            post.fixed.advance(by: 1)
            let again = try await post.take()
            #expect(Set(again.map(\.id)) == Set(taken.flatMap { $0 }))
            #expect(again.allSatisfy { $0.attempts == 0 })
        }
    }
}
