import Authorization
import Directory
import Storage

extension AuthorizationServer {
    package func insertPersonalAccount(_ name: String) async throws -> Person {
        let now = fixed.now
        return try await database.write {
            try Person.insert(
                in: nil, givenName: name, familyName: "Ruiz", email: "\(name)@home.example",
                userName: "\(name)@home.example", at: now, in: $0)
        }
    }

    package func hiddenAddress(of person: Person, at team: TeamID) async throws -> HiddenAddress {
        let (now, surroundings) = (fixed.now, fixed.surroundings)
        return try await database.write {
            try HiddenAddress.findOrInsert(
                of: person, at: team, domain: "relay.maple.example", now: now, from: surroundings, in: $0)
        }
    }
}
