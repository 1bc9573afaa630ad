import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@testable import Authorization

/// An app's calls while its organization has rules for it.
@Suite struct SharedRosterTests {
    @Test("who is left out is found by no call of the app", arguments: TestDatabase.available)
    func leftOut(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let app = try await ReadingApp(database)
            let school = app.server.school
            let seen = try await school.insertPerson("seen", .student)
            let hidden = try await school.insertPerson("hidden", .student)
            let group = try await school.insertClass("Art", students: [seen, hidden])
            #expect(try await app.person(hidden).id == hidden.id)
            #expect(try await app.group(group).students == [seen.id, hidden.id])

            app.server.fixed.advance(by: 60)
            try await app.server.share(SharingRules(leftOut: [hidden.id]))
            await #expect(throws: RosterRefusal.notFound) { try await app.person(hidden) }
            #expect(try await app.students() == [seen.id])
            #expect(try await app.students(of: group) == [seen.id])
            #expect(try await app.group(group).students == [seen.id])
            // The app learns that something has changed, as with every other change.
            #expect(try await app.person(seen).modifiedAt == app.server.fixed.now)
            #expect(try await app.group(group).modifiedAt == app.server.fixed.now)
            let parked = try await app.server.park()
            guard case .ask(let ask) = try await app.server.question(parked, of: app.server.administrator) else {
                Issue.record("nothing is asked")
                return
            }
            #expect(ask.people == 2 && ask.classes == 1)

            app.server.fixed.advance(by: 60)
            try await app.server.share(.none)
            #expect(try await app.students() == [seen.id, hidden.id])
            #expect(try await app.person(hidden).modifiedAt == app.server.fixed.now)
        }
    }

    @Test("who is left out stays so under the name of another record", arguments: TestDatabase.available)
    func merged(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let hidden = try await server.school.insertPerson("hidden", .student)
            let kept = try await server.school.insertPerson("kept", .student)
            try await server.share(SharingRules(leftOut: [hidden.id]))
            server.fixed.advance(by: 60)
            let now = server.fixed.now
            _ = try await database.write { try PersonMerge.make(of: hidden, into: kept, at: now, in: $0) }
            let (app, organization) = (server.registered.app.id, server.school.organization.id)
            let rules = try await database.read { try SharingRules.find(for: app, of: organization, in: $0) }
            #expect(rules.leftOut == [hidden.id, kept.id])
            // An app that reads what has changed notices that somebody is gone.
            let changed = try await database.read {
                try $0.first("SELECT changed_at FROM sharing_rules") { try $0[0] as Date }
            }
            #expect(changed == now)
        }
    }

    @Test("a class that is not shared is not found, and one that is removed opens none")
    func classes() async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            let (art, choir) = (
                try await server.school.insertClass("Art"), try await server.school.insertClass("Choir")
            )
            try await server.share(SharingRules(classes: [art]))
            let (app, organization) = (server.registered.app.id, server.school.organization)
            func sees(_ id: ClassID) async throws -> Bool {
                try await database.read { transaction in
                    let view = try RosterView(of: organization, for: app, at: FixedSurroundings.start, in: transaction)
                    return try RosterClass.exists(id, in: organization.id, through: view.sharing, transaction)
                }
            }
            let before = [try await sees(art), try await sees(choir)]
            #expect(before == [true, false])
            try await database.write { try $0.execute("DELETE FROM class WHERE id = $1", [art]) }
            let after = [try await sees(art), try await sees(choir)]
            #expect(after == [false, false])
        }
    }
}

/// An app with a token for the roster of a school.
private struct ReadingApp {
    let server: AuthorizationServer
    private let roster: RosterService
    private let token: String
    private let identifiers: PairwiseIdentifiers

    init(_ database: any Database) async throws {
        let server = try await AuthorizationServer(database: database)
        self.server = server
        roster = RosterService(
            database: database, keys: server.keys, teamIdentifiers: server.teamIdentifiers,
            rate: .init(burst: 100, perSecond: 1), now: server.fixed.surroundings.now)
        token = try await server.exchange().accessToken
        identifiers = try await database.read {
            try server.teamIdentifiers.of(server.registered.app.teamID, in: $0)
        }
    }

    func person(_ person: Person) async throws -> RosterPerson {
        let id = String(
            decoding: identifiers.identifier(of: person.id, in: server.school.organization.id), as: UTF8.self)
        return try await roster.record(.user(id), bearerToken: token, from: .system).value
    }

    func group(_ id: ClassID) async throws -> RosterClass {
        try await roster.record(.class(id), bearerToken: token, from: .system).value
    }

    func students(of id: ClassID? = nil) async throws -> [PersonID] {
        try await roster.page(
            of: id.map { .users(ofClass: $0) } ?? .users, RequestParameters([FormField("role", "Student")]),
            bearerToken: token, from: .system
        ).value.records.map(\.id)
    }
}

extension AuthorizationServer {
    fileprivate func share(_ rules: SharingRules) async throws {
        let (app, organization, now) = (registered.app.id, school.organization.id, fixed.now)
        try await database.write { try rules.put(for: app, of: organization, at: now, in: $0) }
    }
}
