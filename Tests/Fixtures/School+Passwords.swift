import Directory
import Storage

extension School {
    package var passwordHasher: PasswordHasher { PasswordHasher(cost: .low, surroundings: fixed.surroundings) }

    package var passwordSignIn: PasswordSignIn {
        PasswordSignIn(database: database, hasher: passwordHasher, surroundings: fixed.surroundings)
    }

    package func setPassword(of person: Person, to password: String) async throws {
        let (hash, now) = (try await passwordHasher.hash(password), fixed.now)
        try await database.write { try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: $0) }
    }

    package func state(of person: Person) async throws -> Person.State? {
        try await database.read { try Person.find(person.id, in: $0)?.state }
    }

    package func auditRecords() async throws -> [AuditRecord] {
        let organization = organization.id
        return try await database.read { try AuditRecord.page(of: organization, after: 0, limit: 10_000, in: $0) }
    }
}
