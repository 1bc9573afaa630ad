import Authorization
import Directory
import Fixtures
import Storage
import TestSupport
import Testing

@Suite struct TeamIdentifiersTests {
    @Test(
        "each team has ids of its own for the same person, and the same ones after a restart",
        arguments: TestDatabase.available)
    func teams(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let other = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.planner"])
            let school = server.school.organization.id
            let (admin, pupil) = (server.administrator, try await server.school.insertPerson("pupil", .student))
            func ids(_ identifiers: TeamIdentifiers) async throws -> [String] {
                var ids: [String] = []
                for team in [server.registered.team.id, other.team.id] {
                    let own = try await identifiers.of(team)
                    for person in [admin, pupil] {
                        let id = own.text(of: person.id, in: school)
                        #expect(own.person(id, in: school) == person.id)
                        ids.append(id)
                    }
                }
                return ids
            }
            let first = try await ids(server.teamIdentifiers)
            let restarted = try await ids(TeamIdentifiers(database: database, masterKey: server.masterKey))
            #expect(Set(first).count == 4)
            #expect(restarted == first)
            // What one team knows means nobody to the other.
            let (ours, theirs) = (
                try await server.teamIdentifiers.of(server.registered.team.id),
                try await server.teamIdentifiers.of(other.team.id)
            )
            #expect(ours.person(first[2], in: school) == nil && theirs.person(first[0], in: school) == nil)
        }
    }
}
