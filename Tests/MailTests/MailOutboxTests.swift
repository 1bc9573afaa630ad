import Directory
import Fixtures
import Foundation
import Ground
import Outbox
import Storage
import TestSupport
import Testing
@testable import Mail

@Suite struct MailOutboxTests {
    /// A queue and what fills it, on one clock.
    private struct Post {
        let database: any Database
        let fixed = FixedSurroundings()
        let mailer: Mailer
        let outbox: MailOutbox

        init(_ database: any Database) {
            self.database = database
            mailer = Mailer(sender: try! Mailbox("Maple <id@maple.example>"), surroundings: fixed.surroundings)
            outbox = MailOutbox(database: database, now: fixed.surroundings.now)
        }

        func enqueue(_ subject: String, expiresAt: Date? = nil) async throws {
            let message = try MailMessage(
                to: try MailAddress("maria@home.example"), subject: subject, text: "Code 123456", language: "en")
            try await database.write { [mailer] in try mailer.enqueue(message, expiresAt: expiresAt, in: $0) }
        }

        var backlog: Outbox.Backlog {
            get async throws { try await database.read { try MailOutbox.outbox.backlog(in: $0) } }
        }

        var storesCode: Bool {
            get async throws {
                try await database.read {
                    try $0.exists("SELECT 1 FROM mail_message WHERE body LIKE '%123456%' OR recipient <> ''")
                }
            }
        }
    }

    @Test("a mail is delivered once, and nothing of it stays", arguments: TestDatabase.available)
    func delivered(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            try await post.enqueue("First")
            let due = try await post.outbox.takeDue(limit: 10)
            let mail = try #require(due.first)
            #expect(due.count == 1)
            #expect(mail.message.subject == "First")
            #expect(mail.message.recipient.text == "maria@home.example")
            #expect(mail.createdAt == post.fixed.now)
            #expect(mail.messageID.wholeMatch(of: #/[0-9a-f]{32}@maple\.example/#) != nil)
            try await post.outbox.recordDelivery(of: mail)
            post.fixed.advance(by: 86_400)
            #expect(try await post.outbox.takeDue(limit: 10).isEmpty)
            #expect(try await post.storesCode == false)
        }
    }

    @Test("what does not stay sends no mail", arguments: TestDatabase.available)
    func sameTransaction(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            let message = try MailMessage(
                to: try MailAddress("maria@home.example"), subject: "x", text: "x", language: "en")
            let mailer = post.mailer
            await #expect(throws: Mailer.Unavailable.self) {
                try await database.write { transaction in
                    try mailer.enqueue(message, in: transaction)
                    throw Mailer.Unavailable()
                }
            }
            #expect(try await post.outbox.takeDue(limit: 10).isEmpty)
        }
    }

    @Test("without a sender there is no mail, and that is known before")
    func off() async throws {
        try await TestDatabase.sqlite.with { database in
            let mailer = Mailer(sender: nil, surroundings: FixedSurroundings().surroundings)
            let message = try MailMessage(
                to: try MailAddress("maria@home.example"), subject: "x", text: "x", language: "en")
            #expect(!mailer.isAvailable)
            #expect(Post(database).mailer.isAvailable)
            await #expect(throws: Mailer.Unavailable.self) {
                try await database.write { try mailer.enqueue(message, in: $0) }
            }
        }
    }

    @Test(
        "a failed mail comes back after each pause, the same, until it is given up", arguments: TestDatabase.available)
    func backoff(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            try await post.enqueue("Again")
            var ids: Set<String> = []
            for (attempt, pause) in MailOutbox.outbox.pauses.enumerated() {
                let mail = try #require(try await post.outbox.takeDue(limit: 10).first)
                #expect(mail.attempts == attempt)
                ids.insert(mail.messageID)
                let next = try await post.outbox.recordFailure(of: mail, error: "451 later", isPermanent: false)
                #expect(next == post.fixed.now + pause)
                post.fixed.advance(by: pause - 1)
                #expect(try await post.outbox.takeDue(limit: 10).isEmpty)
                post.fixed.advance(by: 1)
            }
            let last = try #require(try await post.outbox.takeDue(limit: 10).first)
            #expect(ids == [last.messageID])
            #expect(try await post.outbox.recordFailure(of: last, error: "451 later", isPermanent: false) == nil)
            #expect(try await post.backlog == .init(waiting: 0, givenUp: 1, lastError: "451 later"))
            #expect(try await post.storesCode == false)
            post.fixed.advance(by: 31 * 86_400)
            #expect(try await post.outbox.takeDue(limit: 10).isEmpty)
            let now = post.fixed.now
            #expect(try await database.read { try MailOutbox.outbox.hasOld(at: now, in: $0) })
            try await database.write { try MailOutbox.outbox.deleteOld(at: now, in: $0) }
            #expect(try await post.backlog == .init(waiting: 0, givenUp: 0, lastError: nil))
        }
    }

    @Test("a refusal for good is not tried again", arguments: TestDatabase.available)
    func permanent(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            try await post.enqueue("No")
            let mail = try #require(try await post.outbox.takeDue(limit: 1).first)
            let next = try await post.outbox.recordFailure(of: mail, error: "550 no such user", isPermanent: true)
            #expect(next == nil)
            #expect(try await post.storesCode == false)
            #expect(try await post.backlog == .init(waiting: 0, givenUp: 1, lastError: "550 no such user"))
        }
    }

    @Test("a code that has expired is not sent any more", arguments: TestDatabase.available)
    func expired(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            try await post.enqueue("Code", expiresAt: post.fixed.now + 600)
            try await post.enqueue("Notice")
            let code = try #require(try await post.outbox.takeDue(limit: 1).first)
            #expect(code.message.subject == "Code")
            try await post.outbox.recordFailure(of: code, error: "down", isPermanent: false)
            post.fixed.advance(by: 601)
            #expect(try await post.outbox.takeDue(limit: 10).map(\.message.subject) == ["Notice"])
            #expect(
                try await post.backlog
                    == .init(waiting: 1, givenUp: 1, lastError: "down; expired before it was delivered"))
        }
    }

    @Test(
        "a mail that was taken comes back after a crash, later than any attempt ends", arguments: TestDatabase.available
    )
    func lease(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let post = Post(database)
            try await post.enqueue("First")
            #expect(try await post.outbox.takeDue(limit: 100).count == 1)
            post.fixed.advance(by: SMTPTransport.timeout)
            #expect(try await post.outbox.takeDue(limit: 100).isEmpty)
            post.fixed.advance(by: 30)
            #expect(try await post.outbox.takeDue(limit: 100).count == 1)
        }
    }
}
