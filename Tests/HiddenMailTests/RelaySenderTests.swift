import Authorization
import Directory
import Fixtures
import HiddenMail
import Storage
import TestSupport
import Testing

@Suite struct RelaySenderTests {
    private func insert(_ name: String, _ server: AuthorizationServer) async throws -> Bool {
        let (team, now) = (server.registered.team.id, server.fixed.now)
        return try await server.database.write {
            try RelaySender.insert(name, for: team, relayDomain: "relay.maple.example", at: now, in: $0)
        }
    }

    @Test("domains, subdomains and addresses are registered once, in lower case", arguments: TestDatabase.available)
    func names(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            #expect(try await insert("Quizzler.example", server))
            #expect(try await insert("quizzler.EXAMPLE", server) == false)
            #expect(try await insert("mail.quizzler.example", server))
            #expect(try await insert("Robin@elm.example", server))
            let team = server.registered.team.id
            let names = try await database.read { try RelaySender.list(of: team, in: $0).map(\.name) }
            #expect(names == ["mail.quizzler.example", "quizzler.example", "robin@elm.example"])
            let removed = try await database.write { try RelaySender.delete("ROBIN@elm.example", of: team, in: $0) }
            #expect(removed)
        }
    }

    @Test(
        "what is no domain and no address is refused",
        arguments: ["", "quizzler", "*.quizzler.example", "a b@x.example", "@"])
    func malformed(_ name: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            await #expect(throws: DirectoryError.self) { try await insert(name, server) }
        }
    }

    @Test(
        "nobody is registered at the relay itself",
        arguments: ["relay.maple.example", "x.relay.maple.example", "a@relay.maple.example"])
    func relay(_ name: String) async throws {
        try await TestDatabase.sqlite.with { database in
            let server = try await AuthorizationServer(database: database)
            await #expect(throws: RelaySender.Problem.self) { try await insert(name, server) }
        }
    }

    @Test("a team has up to 100", arguments: TestDatabase.available)
    func limit(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            for number in 1...100 { #expect(try await insert("d\(number).example", server)) }
            await #expect(throws: RelaySender.Problem.tooMany) { try await insert("d101.example", server) }
            #expect(try await insert("d100.example", server) == false)
        }
    }
}
