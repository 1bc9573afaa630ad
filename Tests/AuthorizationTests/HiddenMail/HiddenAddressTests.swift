import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct HiddenAddressTests {
    @Test("a person has one address a team, always the same", arguments: TestDatabase.available)
    func one(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let (maria, team) = (try await server.insertPersonalAccount("maria"), server.registered.team.id)
            let rival = try await RegisteredApp.insert(
                in: database, server.fixed, under: server.masterKey, clientIDs: ["com.example.rival"])
            let first = try await server.hiddenAddress(of: maria, at: team)
            let again = try await server.hiddenAddress(of: maria, at: team)
            let other = try await server.hiddenAddress(of: maria, at: rival.team.id)
            let somebody = try await server.hiddenAddress(of: try await server.insertPersonalAccount("ana"), at: team)
            #expect(first == again)
            #expect(first.address.wholeMatch(of: #/[a-z0-9]{10}@relay\.maple\.example/#) != nil)
            #expect(first.forwards)
            #expect(Set([first, other, somebody].map(\.address)).count == 3)
            let found = try await database.read { transaction in
                (
                    try HiddenAddress.find(address: first.address.uppercased(), in: transaction),
                    try HiddenAddress.find(address: "nobody@relay.maple.example", in: transaction),
                    try HiddenAddress.list(of: maria.id, in: transaction)
                )
            }
            #expect(found.0 == first)
            #expect(found.1 == nil)
            #expect(found.2 == [first, other])
        }
    }

    @Test("sign-ins at the same moment get the same address", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let maria = try await server.insertPersonalAccount("maria")
            let addresses = await concurrently(0..<20) { _ in
                do {
                    return try await server.hiddenAddress(of: maria, at: server.registered.team.id).address
                } catch {
                    Issue.record(error)
                    return ""
                }
            }
            #expect(Set(addresses).count == 1)
        }
    }

    @Test("a managed account never has one", arguments: TestDatabase.available)
    func managed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            await #expect(throws: HiddenAddress.Problem.managedAccount) {
                try await server.hiddenAddress(of: server.administrator, at: server.registered.team.id)
            }
        }
    }

    @Test("the address of an account that is gone is nobody's, for ever", arguments: TestDatabase.available)
    func gone(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let maria = try await server.insertPersonalAccount("maria")
            let address = try await server.hiddenAddress(of: maria, at: server.registered.team.id)
            try await database.write { try $0.execute("DELETE FROM person WHERE id = $1", [maria.id]) }
            let left = try #require(
                try await database.read { try HiddenAddress.find(address: address.address, in: $0) })
            #expect(left.personID == nil)
            await #expect(throws: DatabaseError.self) {
                try await database.write {
                    try $0.execute(
                        "INSERT INTO hidden_address (address, created_at, changed_at) VALUES ($1, 0, 0)",
                        [address.address])
                }
            }
        }
    }

    @Test("switching forwarding tells each app once, in the documented words", arguments: TestDatabase.available)
    func forwarding(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let server = try await AuthorizationServer(database: database)
            let maria = try await server.insertPersonalAccount("maria")
            let address = try await server.hiddenAddress(of: maria, at: server.registered.team.id)
            #expect(try await server.setForwarding(of: address, false))
            #expect(try await server.setForwarding(of: address, false) == false)
            let switchedAt = Int(server.fixed.now.timeIntervalSince1970)
            server.fixed.advance(by: 7)

            let due = try await server.notifications.takeDue(limit: 10)
            let message = try #require(due.first)
            #expect(due.count == 1)
            let sub = try await server.teamIdentifiers.of(server.registered.team.id).text(of: maria.id, in: nil)
            let content = try JSONSerialization.jsonObject(with: try JSONEncoder.sorted.encode(message.claims))
            let members = try #require(content as? [String: Any])
            #expect(Set(members.keys) == ["iss", "aud", "iat", "exp", "jti", "events"])
            #expect(members["exp"] as? Int == switchedAt + 7 + 86_400)
            #expect(message.jti.wholeMatch(of: #/[A-Za-z0-9_-]{22}/#) != nil)
            #expect(
                members["events"] as? String == """
                    {"email":"\(address.address)","event_time":\(switchedAt)000,"is_private_email":"true",\
                    "sub":"\(sub)","type":"email-disabled"}
                    """)
            try await server.notifications.recordDelivery(of: message)
            #expect(try await server.setForwarding(of: address, true))
            let next = try #require(try await server.notifications.takeDue(limit: 10).first)
            guard case .person(let claims) = next.claims else {
                Issue.record("a person's event has another shape")
                return
            }
            #expect(claims.events.contains(#""type":"email-enabled""#))
        }
    }
}

extension AuthorizationServer {
    func setForwarding(of address: HiddenAddress, _ forwards: Bool) async throws -> Bool {
        let (now, surroundings, apps) = (fixed.now, fixed.surroundings, [registered.app.id])
        return try await database.write { transaction in
            try address.setForwarding(
                forwards, apps: apps, by: .operator, from: .commandLine, at: now, surroundings: surroundings,
                in: transaction)
        }
    }
}
