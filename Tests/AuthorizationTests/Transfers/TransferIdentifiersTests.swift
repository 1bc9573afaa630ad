import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct TransferIdentifiersTests {
    private let former = PairwiseIdentifiers(key: [UInt8](repeating: 1, count: 16))
    private let person = PersonID(rawValue: 4_711)
    private let school = OrganizationID(rawValue: 12)

    @Test("a transfer identifier belongs to a pair of teams, has the usual shape, and says nothing of either id")
    func pairs() {
        for organization in [school, nil] {
            let own = former.text(of: person, in: organization)
            let one = former.transfer(to: "TEAMONE234")
            let text = one.text(of: person, in: organization)
            #expect(text == former.transfer(to: "TEAMONE234").text(of: person, in: organization))
            #expect(text != former.transfer(to: "TEAMTWO234").text(of: person, in: organization))
            #expect(
                text
                    != PairwiseIdentifiers(key: [UInt8](repeating: 2, count: 16)).transfer(to: "TEAMONE234")
                    .text(of: person, in: organization))
            #expect(text.count == own.count)
            #expect(text.prefix(6) != own.prefix(6))
            #expect(one.person(text, in: organization) == person)
            #expect(one.person(own, in: organization) == nil)
            #expect(former.person(text, in: organization) == nil)
        }
    }

    @Test(
        "an identifier leads to a person who is there, of the organization that it says",
        arguments: TestDatabase.available)
    func people(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let identifiers = try await server.teamIdentifiers.of(server.registered.team.id)
            let administrator = server.administrator
            func find(_ id: PersonID, _ organization: OrganizationID?) async throws -> PersonID? {
                let text = identifiers.text(of: id, in: organization)
                return try await database.read { try identifiers.person(text, in: $0)?.id }
            }
            let own = server.school.organization.id
            #expect(try await find(administrator.id, own) == administrator.id)
            #expect(try await find(administrator.id, nil) == nil)
            #expect(try await find(administrator.id, OrganizationID(rawValue: own.rawValue + 1_000)) == nil)
            #expect(try await find(PersonID(rawValue: 999_999), own) == nil)
        }
    }

    @Test("an app is handed over once; to the team that has it, it cannot be", arguments: TestDatabase.available)
    func transfer(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (app, former, now) = (server.registered.app, server.registered.team, server.fixed.now)
            let (masterKey, surroundings) = (server.masterKey, server.fixed.surroundings)
            let team = try await database.write {
                try Team.insert(name: "Other Inc.", at: now, from: surroundings, under: masterKey, in: $0)
            }
            @Sendable func transfer(to team: Team) async throws {
                try await database.write { transaction in
                    let app = try App.find(app.id, in: transaction)
                    try app?.transfer(
                        to: team, at: now, surroundings: surroundings, in: transaction)
                }
            }
            await #expect(throws: App.Problem.alreadyOfTeam(former.name)) { try await transfer(to: former) }
            try await transfer(to: team)
            await #expect(throws: App.Problem.alreadyOfTeam("Other Inc.")) { try await transfer(to: team) }
            let found = try await database.read { try AppTransfer.find(of: app.id, at: now, in: $0) }
            #expect(found?.from == former.id)
            #expect(found?.to == team.id)
            // Back within the same second.
            try await transfer(to: former)
            let back = try await database.read { try AppTransfer.find(of: app.id, at: now, in: $0) }
            #expect(back?.from == team.id)
            let end = now.addingTimeInterval(AppTransfer.window)
            #expect(try await database.read { try AppTransfer.find(of: app.id, at: end, in: $0) } == nil)
        }
    }
}
