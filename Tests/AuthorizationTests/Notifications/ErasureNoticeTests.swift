import Authorization
import Directory
import Fixtures
import Foundation
import Outbox
import Storage
import TestSupport
import Testing

@Suite struct ErasureNoticeTests {
    /// Erases a pupil, and tells Quizzler.
    private static func erase(in server: AuthorizationServer) async throws -> Person {
        let pupil = try await server.school.insertPerson("leaver", .student)
        let (organization, now) = (server.school.organization.id, server.fixed.now)
        let (app, surroundings) = (server.registered.app.id, server.fixed.surroundings)
        try await server.database.write { transaction in
            try pupil.eraseManaged(in: organization, at: now, in: transaction)
            _ = try ErasureNotice.tell(app, of: pupil.id, at: now, surroundings: surroundings, in: transaction)
        }
        return pupil
    }

    private static func notices(of person: Person, _ server: AuthorizationServer) async throws -> [ErasureNotice] {
        try await server.database.read { try ErasureNotice.list(of: person.id, in: $0) }
    }

    @Test(
        "the app gets account-delete with the id that it knows, and has acknowledged it when it has taken it",
        arguments: TestDatabase.available)
    func acknowledged(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let pupil = try await Self.erase(in: server)
            #expect(try await Self.notices(of: pupil, server).map(\.state) == [.waiting])
            let message = try #require(try await server.notifications.takeDue(limit: 10).first)
            let identifiers = try await server.teamIdentifiers.of(server.registered.team.id)
            guard case .person(let claims) = message.claims else {
                Issue.record("\(message.claims)")
                return
            }
            #expect(claims.events.contains("account-delete"))
            #expect(claims.events.contains(identifiers.text(of: pupil.id, in: server.school.organization.id)))
            server.fixed.advance(by: 60)
            try await server.notifications.recordDelivery(of: message)
            let notice = try #require(try await Self.notices(of: pupil, server).first)
            #expect(notice.state == .acknowledged && notice.acknowledgedAt == server.fixed.now)
            #expect(
                try await database.read {
                    try ErasureNotice.peopleNotAcknowledged(
                        of: server.school.organization.id, after: .none, limit: 10, in: $0)
                } == [])
        }
    }

    @Test("an app that never answers stays on the list, as given up", arguments: TestDatabase.available)
    func givenUp(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let pupil = try await Self.erase(in: server)
            while let message = try await server.notifications.takeDue(limit: 1).first {
                guard let next = try await server.notifications.recordFailure(of: message, error: "503") else { break }
                server.fixed.advance(by: next.timeIntervalSince(server.fixed.now) + 1)
            }
            let notice = try #require(try await Self.notices(of: pupil, server).first)
            #expect(notice.state == .givenUp && notice.acknowledgedAt == nil)
            // After a month the message itself is forgotten, and the notice is not.
            server.fixed.advance(by: 40 * 86_400)
            let now = server.fixed.now
            try await database.write { try NotificationOutbox.outbox.deleteOld(at: now, in: $0) }
            #expect(try await Self.notices(of: pupil, server).map(\.state) == [.givenUp])
        }
    }
}
