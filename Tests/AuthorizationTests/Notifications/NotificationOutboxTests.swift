import Authorization
import Directory
import Fixtures
import Foundation
import Outbox
import Storage
import TestSupport
import Testing

@Suite struct NotificationOutboxTests {
    @Test("revoking queues one message, with exactly the documented content", arguments: TestDatabase.available)
    func content(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            let manager = try await server.school.insertPerson("manager", .siteManager)
            let before = try await server.notifications.takeDue(limit: 10)
            #expect(before.isEmpty)
            try await server.revokeConsent(by: manager)
            let revokedAt = Int(server.fixed.now.timeIntervalSince1970)
            server.fixed.advance(by: 5)

            let due = try await server.notifications.takeDue(limit: 10)
            let message = try #require(due.first)
            #expect(due.count == 1)
            #expect(message.url == "https://quizzler.example/notifications")
            let identifiers = try await server.teamIdentifiers.of(server.registered.team.id)
            let sent = try JSONEncoder.sorted.encode(message.claims)
            let subject = identifiers.text(of: manager.id, in: server.school.organization.id)
            #expect(
                String(decoding: sent, as: UTF8.self) == """
                    {"aud":"com.example.quizzler","events":[{"event_time":\(revokedAt),\
                    "org_id":"\(server.school.organization.publicID)","scopes":"edu.classes.read edu.users.read",\
                    "sub":"\(subject)","type":"consent-revoked"}],"iat":\(revokedAt + 5),\
                    "iss":"https://id.maple.example","jti":"\(message.jti)"}
                    """)
            #expect(UUID(uuidString: message.jti) != nil)
            let body = try await server.notifications.body(of: message)
            #expect(body.wholeMatch(of: #/{"payload":"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{342}"}/#) != nil)
        }
    }

    @Test("when the operator revokes, the message names who had consented", arguments: TestDatabase.available)
    func byOperator(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            try await server.revokeConsent()
            let message = try #require(try await server.notifications.takeDue(limit: 1).first)
            let identifiers = try await server.teamIdentifiers.of(server.registered.team.id)
            guard case .organization(let claims) = message.claims else { throw NoOrganization() }
            #expect(
                claims.events.map(\.sub) == [
                    identifiers.text(of: server.administrator.id, in: server.school.organization.id)
                ])
        }
    }

    @Test("a message about somebody who is gone is given up, and holds up nobody", arguments: TestDatabase.available)
    func vanished(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            try await server.revokeConsent()
            try await database.write {
                try $0.execute("UPDATE notification SET claims = REPLACE(claims, '\"person\":', '\"person\":999')")
            }
            #expect(try await server.notifications.takeDue(limit: 10).isEmpty)
            let backlog = try await database.read { try NotificationOutbox.outbox.backlog(in: $0) }
            #expect(backlog.waiting == 0)
            #expect(backlog.givenUp == 1)
        }
    }

    @Test("a revocation that does not stay leaves no message", arguments: TestDatabase.available)
    func sameTransaction(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            let consent = try #require(try await server.livingConsent)
            let (now, surroundings) = (server.fixed.now, server.fixed.surroundings)
            await #expect(throws: DirectoryError.self) {
                try await database.write { transaction in
                    _ = try consent.revoke(
                        by: nil, actor: .operator, from: .system, at: now, surroundings: surroundings, in: transaction)
                    throw DirectoryError.unknownPerson("x")
                }
            }
            let due = try await server.notifications.takeDue(limit: 10)
            #expect(due.isEmpty)
            _ = try await server.access(with: answer.accessToken)
        }
    }

    @Test(
        "a client's own revocation, a denial and an app without an address queue nothing",
        arguments: TestDatabase.available)
    func nothingQueued(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let answer = try await server.exchange()
            try await server.tokens.revoke(
                answer.accessToken, .roster, client: try await server.client, origin: .system)
            _ = try await server.consents.deny(try await server.park(), by: server.administrator, origin: .system)
            try await database.write { try $0.execute("UPDATE app SET notification_url = NULL") }
            try await server.revokeConsent()
            let queued = try await database.read { try $0.exists("SELECT 1 FROM notification") }
            #expect(!queued)
        }
    }

    @Test(
        "it is tried again after each pause with the same id, until it is given up", arguments: TestDatabase.available)
    func backoff(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            try await server.revokeConsent()
            var ids: Set<String> = []
            for (attempt, pause) in NotificationOutbox.outbox.pauses.enumerated() {
                let message = try #require(try await server.notifications.takeDue(limit: 10).first)
                #expect(message.attempts == attempt)
                ids.insert(message.jti)
                let next = try await server.notifications.recordFailure(of: message, error: "status 500")
                #expect(next == server.fixed.now + pause)
                server.fixed.advance(by: pause - 1)
                let early = try await server.notifications.takeDue(limit: 10)
                #expect(early.isEmpty)
                server.fixed.advance(by: 1)
            }
            let last = try #require(try await server.notifications.takeDue(limit: 10).first)
            let next = try await server.notifications.recordFailure(of: last, error: "timed out")
            #expect(next == nil)
            #expect(ids == [last.jti])
            // The person whom the message was about is not stored any more.
            #expect(try await database.read { try $0.all("SELECT claims FROM notification") { try $0[0] } } == [""])
            server.fixed.advance(by: 365 * 86_400)
            let never = try await server.notifications.takeDue(limit: 10)
            #expect(never.isEmpty)
            let backlog = try await database.read { try NotificationOutbox.outbox.backlog(in: $0) }
            #expect(backlog.waiting == 0)
            #expect(backlog.givenUp == 1)

            let now = server.fixed.now
            #expect(try await database.read { try NotificationOutbox.outbox.hasOld(at: now, in: $0) })
            try await database.write { try NotificationOutbox.outbox.deleteOld(at: now, in: $0) }
            #expect(
                try await database.read { try NotificationOutbox.outbox.backlog(in: $0) }
                    == .init(waiting: 0, givenUp: 0, lastError: nil))
        }
    }

    /// Another app, and messages that wait for it and for Quizzler.
    private func crowd(_ server: AuthorizationServer, _ own: Int, _ others: Int) async throws -> RegisteredApp {
        let other = try await RegisteredApp.insert(
            in: server.database, server.fixed, under: server.masterKey, clientIDs: ["com.example.rival"])
        let (surroundings, person) = (server.fixed.surroundings, server.administrator.id)
        for (app, count) in [(server.registered.app.id, own), (other.app.id, others)] {
            let now = server.fixed.now
            try await server.database.write { transaction in
                for _ in 0..<count {
                    try OutgoingNotification.enqueue(
                        .consentRevoked, of: person, to: app, at: now, surroundings: surroundings, in: transaction)
                }
            }
            server.fixed.advance(by: 1)
        }
        return other
    }

    @Test("much that waits for one app keeps nobody else waiting", arguments: TestDatabase.available)
    func fairness(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await crowd(server, 40, 2)
            let taken = try await server.notifications.takeDue(limit: 8, limitPerApp: 3)
            #expect(taken.filter { $0.appID == other.app.id }.count == 2)
            #expect(taken.filter { $0.appID != other.app.id }.count == 3)
            #expect(try await server.notifications.takeDue(limit: 2, limitPerApp: 3).count == 2)
        }
    }

    @Test("an app that does not answer is asked once for everything that is due", arguments: TestDatabase.available)
    func silence(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await crowd(server, 40, 1)
            func take(_ limit: Int = 100) async throws -> [OutgoingNotification] {
                try await server.notifications.takeDue(limit: limit, limitPerApp: limit).filter {
                    $0.appID != other.app.id
                }
            }
            // An answer, whatever it says, is about one message.
            let refused = try #require(
                try await server.notifications.takeDue(limit: 2, limitPerApp: 1).first { $0.appID != other.app.id })
            try await server.notifications.recordFailure(of: refused, error: "HTTP status 500")
            #expect(try await take(2).count == 2)

            let silent = try #require(try await take(1).first)
            let next = try await server.notifications.recordFailure(of: silent, error: "timed out", isSilence: true)
            #expect(next == server.fixed.now + NotificationOutbox.outbox.pauses[0])
            #expect(try await take().isEmpty)
            server.fixed.advance(by: NotificationOutbox.outbox.pauses[0])
            #expect(try await take().map(\.attempts) == Array(repeating: 1, count: 38))

            // All of them together are given up after the time that one message takes.
            server.fixed.advance(by: 60)
            for pause in NotificationOutbox.outbox.pauses.dropFirst() + [0] {
                for message in try await take(3) {
                    try await server.notifications.recordFailure(of: message, error: "timed out", isSilence: true)
                }
                server.fixed.advance(by: max(pause, 60))
            }
            let left = try await database.read { transaction in
                try transaction.all(
                    "SELECT claims, next_attempt_at FROM notification WHERE app_id = $1",
                    [server.registered.app.id]
                ) { (try $0[0] as String, try $0[1] as Date?) }
            }
            #expect(left.count == 40)
            #expect(left.filter { $0.0.isEmpty && $0.1 == nil }.count >= 38)
        }
    }

    @Test(
        "an address that is silent keeps nothing from the other, and what has no address any more is dropped",
        arguments: TestDatabase.available)
    func addresses(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (app, person, now) = (server.registered.app, server.administrator.id, server.fixed.now)
            let (logoutURL, surroundings) = ("https://quizzler.example/logout", server.fixed.surroundings)
            try await database.write { transaction in
                try app.put(backChannelLogoutURL: logoutURL, in: transaction)
                for _ in 0..<2 {
                    try OutgoingNotification.enqueue(
                        .consentRevoked, of: person, to: app.id, at: now, surroundings: surroundings, in: transaction)
                }
            }
            let silent = try #require(try await server.notifications.takeDue(limit: 1).first)
            #expect(silent.url == "https://quizzler.example/notifications")
            try await server.notifications.recordFailure(of: silent, error: "timed out", isSilence: true)
            #expect(try await server.notifications.takeDue(limit: 10).map(\.url) == [logoutURL, logoutURL])

            server.fixed.advance(by: NotificationOutbox.outbox.pauses[0])
            try await database.write { try app.put(notificationURL: nil, in: $0) }
            #expect(try await server.notifications.takeDue(limit: 10).isEmpty)
            #expect(
                try await database.read { try NotificationOutbox.outbox.backlog(in: $0) }
                    == .init(waiting: 2, givenUp: 0, lastError: nil))
        }
    }

    @Test("the pauses grow, to about three days in all")
    func pauses() {
        let pauses = NotificationOutbox.outbox.pauses
        #expect(pauses == pauses.sorted())
        #expect((2.5 * 86_400...3.5 * 86_400).contains(pauses.reduce(0, +)))
    }

    @Test("a delivered message is not sent again, and nothing is left of it", arguments: TestDatabase.available)
    func delivered(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            _ = try await server.exchange()
            try await server.revokeConsent()
            let message = try #require(try await server.notifications.takeDue(limit: 10).first)
            try await server.notifications.recordDelivery(of: message)
            server.fixed.advance(by: 365 * 86_400)
            let again = try await server.notifications.takeDue(limit: 10)
            #expect(again.isEmpty)
            #expect(try await database.read { try $0.exists("SELECT 1 FROM notification") } == false)
            let backlog = try await database.read { try NotificationOutbox.outbox.backlog(in: $0) }
            #expect(backlog.waiting == 0)
            #expect(backlog.givenUp == 0)
        }
    }

    @Test(
        "of two who take at once each message goes to one, and after a crash it comes back",
        arguments: TestDatabase.available)
    func takers(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for _ in 0..<12 {
                _ = try await server.exchange()
                try await server.revokeConsent()
            }
            let taken = await concurrently(0..<6) { _ in
                do {
                    return try await server.notifications.takeDue(limit: 5).map(\.jti)
                } catch {
                    Issue.record(error)
                    return []
                }
            }
            #expect(taken.allSatisfy { $0.count <= 5 })
            #expect(taken.flatMap { $0 }.count == 12)
            #expect(Set(taken.flatMap { $0 }).count == 12)
            // The workers that took them have crashed: none has reported a result.
            server.fixed.advance(by: 60)
            let again = try await server.notifications.takeDue(limit: 100)
            #expect(Set(again.map(\.jti)) == Set(taken.flatMap { $0 }))
            #expect(again.allSatisfy { $0.attempts == 0 })
        }
    }
}

extension JSONEncoder {
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

private struct NoOrganization: Error {}
