import Authorization
import Directory
import Fixtures
import Foundation
import HTTPTypes
import ServerHTTP
import Outbox
import Storage
import Testing
import TestSupport

@testable import TestServers

/// Delivery of notifications: docs/specifications/roster-api.md, 8.
@Suite struct NotificationTests {
    @Test(
        "what is not answered with 2xx is sent again, with the same jti, until it is",
        arguments: TestDatabase.available)
    func retries(_ kind: TestDatabase) async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(on: kind, notificationURL: receiver.url) { server in
                _ = try await server.connect()
                receiver.answer(with: .internalServerError)
                try await server.revokeConsent(
                    server.quizzler, by: server.maple.administrator, in: server.maple.organization.id)
                for (count, pause) in NotificationOutbox.outbox.pauses.prefix(4).enumerated() {
                    #expect(try await receiver.wait(for: count + 1).count == count + 1)
                    try await waitForAttempts(count + 1, server)
                    server.fixed.advance(by: pause)
                }
                receiver.answer(with: .noContent)
                let deliveries = try await receiver.wait(for: 5)
                try await waitForDelivery(server)
                let keys = try await server.browser().get("/auth/oauth2/v2/keys")
                var ids: Set<String> = []
                for delivery in deliveries {
                    let token = try await SignedToken.verify(try #require(delivery.payload), with: keys)
                    ids.insert(try #require(token.claims["jti"] as? String))
                }
                #expect(deliveries.count == 5)
                #expect(ids.count == 1)
                let backlog = try await server.database.read { try NotificationOutbox.outbox.backlog(in: $0) }
                #expect(backlog.waiting == 0 && backlog.givenUp == 0)
            }
        }
    }

    /// The attempt is over when it is written down.
    private func waitForAttempts(_ count: Int, _ server: TestServer) async throws { try await wait(server, for: count) }

    /// What was delivered is deleted.
    private func waitForDelivery(_ server: TestServer) async throws { try await wait(server, for: nil) }

    private func wait(_ server: TestServer, for count: Int?) async throws {
        for _ in 0..<1_000 {
            let made: Int? = try await server.database.read { transaction in
                try transaction.first("SELECT attempts FROM notification") { try $0[0] }
            }
            if made == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(count.map { "attempt \($0)" } ?? "the delivery") was not written down")
    }

    @Test("an app that does not answer keeps nobody else waiting, and what is old is forgotten")
    func silentApp() async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(
                notificationURL: receiver.url, configure: { $0.tidyingInterval = .milliseconds(10) }
            ) { server in
                let (silent, person) = (server.rival.app, server.maple.administrator.id)
                let (surroundings, quizzler) = (server.fixed.surroundings, server.quizzler.app.id)
                let now = server.fixed.now
                try await server.database.write { transaction in
                    // Nobody listens there.
                    try silent.put(notificationURL: "http://127.0.0.1:1/", in: transaction)
                    for app in Array(repeating: silent.id, count: 40) + [quizzler] {
                        try OutgoingNotification.enqueue(
                            .consentRevoked, of: person, to: app, at: now, surroundings: surroundings, in: transaction)
                    }
                }
                _ = try await receiver.wait(for: 1)
                for _ in 0..<1_000 where try await server.count("notification WHERE attempts = 1") < 40 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try await server.count("notification WHERE attempts = 1") == 40)
                // A few were tried, the others count as tried.
                let tried = server.log.lines.filter { $0.message == "notification not delivered" }.count
                #expect((1...16).contains(tried))

                try await server.database.write { try $0.execute("UPDATE notification SET next_attempt_at = NULL") }
                server.fixed.advance(by: 30 * 86_400)
                for _ in 0..<1_000 where try await server.count("notification") > 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try await server.count("notification") == 0)
            }
        }
    }

    @Test("after about three days it is given up, for the operator to see")
    func givenUp() async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(notificationURL: receiver.url) { server in
                _ = try await server.connect()
                receiver.answer(with: .found)
                try await server.revokeConsent(server.quizzler, by: nil, in: server.maple.organization.id)
                let pauses = NotificationOutbox.outbox.pauses
                #expect((2 * 86_400.0...3.5 * 86_400).contains(pauses.reduce(0, +)))
                for count in 1...(pauses.count + 1) {
                    try await waitForAttempts(count, server)
                    server.fixed.advance(by: 86_400)
                }
                let backlog = try await server.database.read { try NotificationOutbox.outbox.backlog(in: $0) }
                #expect(backlog.waiting == 0 && backlog.givenUp == 1)
                #expect(server.log.lines.contains { $0.message == "notification given up" })
                #expect(receiver.received.count == pauses.count + 1)
                #expect(receiver.redirectsFollowed == 0)
            }
        }
    }

    @Test("the app's own call of /revoke sends none")
    func ownRevocation() async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(notificationURL: receiver.url) { server in
                let tokens = try await server.connect()
                _ = try await server.revoke(tokens.refresh, server.quizzler)
                let backlog = try await server.database.read { try NotificationOutbox.outbox.backlog(in: $0) }
                #expect(backlog.waiting == 0)
                #expect(receiver.received.isEmpty)
            }
        }
    }

    @Test("the subject is who revoked, and the consenting administrator if nobody did")
    func subject() async throws {
        try await Receiver.with { receiver in
            try await TestServer.with(notificationURL: receiver.url) { server in
                let tokens = try await server.connect()
                let users = try await server.roster("/users", tokens).list("users")
                let keys = try await server.browser().get("/auth/oauth2/v2/keys")
                for (index, person) in [server.maple.siteManager, nil].enumerated() {
                    _ = try await server.connect()
                    try await server.revokeConsent(server.quizzler, by: person, in: server.maple.organization.id)
                    let delivery = try #require(try await receiver.wait(for: index + 1).last)
                    let token = try await SignedToken.verify(try #require(delivery.payload), with: keys)
                    let sub = (token.claims["events"] as? [[String: Any]])?.first?["sub"] as? String
                    let name = person?.givenName ?? "Ada"
                    #expect(sub == users.first { $0["givenName"] as? String == name }?["id"] as? String)
                }
            }
        }
    }

    @Test("what waits survives a restart of the server", arguments: TestDatabase.available)
    func restart(_ kind: TestDatabase) async throws {
        try await Receiver.with { receiver in
            try await Gate.servers.admit {
                try await kind.with { database in
                    let scene = try await Scene.insert(in: database, notificationURL: receiver.url)
                    receiver.answer(with: .serviceUnavailable)
                    try await TestServer.run(scene) { server in
                        _ = try await server.connect()
                        try await server.revokeConsent(server.quizzler, by: nil, in: server.maple.organization.id)
                        try await waitForAttempts(1, server)
                    }
                    receiver.answer(with: .ok)
                    scene.fixed.advance(by: 3_600)
                    try await TestServer.run(scene) { server in
                        try await waitForDelivery(server)
                        let deliveries = receiver.received
                        let keys = try await server.browser().get("/auth/oauth2/v2/keys")
                        let token = try await SignedToken.verify(try #require(deliveries.last?.payload), with: keys)
                        #expect(deliveries.count == 2)
                        #expect(token.claims["aud"] as? String == "com.quizzler")
                    }
                }
            }
        }
    }
}
