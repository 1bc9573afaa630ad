import Crypto
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct AuditChainTests {
    private func append(_ count: Int, to school: School) async throws {
        let (organization, now) = (school.organization.id, school.fixed.now)
        for index in 0..<count {
            try await school.database.write { transaction in
                try AuditEntry(
                    .personChanged, by: .operator, on: "person:\(index)", outcome: .done, detail: "grade",
                    from: .commandLine
                )
                .append(to: organization, at: now, in: transaction)
            }
        }
    }

    private func firstBreak(_ school: School) async throws -> Int? {
        let organization = school.organization.id
        return try await school.database.read { try AuditRecord.firstBreak(of: organization, in: $0) }
    }

    @Test("entries are appended in order, each organization's for itself", arguments: TestDatabase.available)
    func appends(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, name: "Oak")
            try await append(3, to: school)
            try await append(1, to: other)
            let now = school.fixed.now
            try await database.write { transaction in
                try AuditEntry(.keyCreated, by: .system, on: "key", outcome: .refused, from: .system)
                    .append(to: nil, at: now, in: transaction)
            }
            let (own, foreign) = (try await school.auditRecords(), try await other.auditRecords())
            let server = try await database.read { try AuditRecord.page(of: nil, after: 0, limit: 10, in: $0) }
            #expect(own.map(\.sequence) == [1, 2, 3])
            #expect(own.map(\.subject) == ["person:0", "person:1", "person:2"])
            #expect(own.allSatisfy { $0.actor == "operator" && $0.origin == "command line" && $0.at == now })
            #expect(foreign.map(\.sequence) == [1])
            #expect(server.map(\.action) == ["key.created"])
            let page = try await database.read {
                try AuditRecord.page(of: school.organization.id, after: 1, limit: 1, in: $0)
            }
            #expect(page.map(\.sequence) == [2])
        }
    }

    @Test("entries appended at once make one chain", arguments: TestDatabase.available)
    func concurrent(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let outcomes = await concurrently(0..<60) { _ in
                do {
                    try await self.append(1, to: school)
                    return true
                } catch {
                    Issue.record(error)
                    return false
                }
            }
            let (records, broken) = (try await school.auditRecords(), try await firstBreak(school))
            #expect(outcomes.allSatisfy { $0 })
            #expect(records.map(\.sequence) == Array(1...60))
            #expect(broken == nil)
        }
    }

    @Test(
        "a change anywhere in the chain is found", arguments: TestDatabase.available,
        [
            "UPDATE audit_entry SET actor = 'person:1' WHERE sequence = 3",
            "UPDATE audit_entry SET action = 'person.created' WHERE sequence = 3",
            "UPDATE audit_entry SET subject = 'person:7' WHERE sequence = 3",
            "UPDATE audit_entry SET outcome = 'refused' WHERE sequence = 3",
            "UPDATE audit_entry SET detail = 'grade ' WHERE sequence = 3",
            "UPDATE audit_entry SET origin = '' WHERE sequence = 3",
            "UPDATE audit_entry SET at = at + 1 WHERE sequence = 3",
            // The text moves from one field to the next, and the bytes run together as before.
            "UPDATE audit_entry SET detail = 'gradecommand line', origin = '' WHERE sequence = 3",
            "DELETE FROM audit_entry WHERE sequence = 3",
            "UPDATE audit_entry SET sequence = 99 WHERE sequence = 3",
        ])
    func tampered(_ kind: TestDatabase, _ sql: String) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            try await append(5, to: school)
            let whole = try await firstBreak(school)
            #expect(whole == nil)
            try await database.write { try $0.execute(sql) }
            let broken = try await firstBreak(school)
            #expect(broken == 3)
        }
    }

    /// What docs and other programs may compute by: SHA-256 over the hash before and the fields, each with its length.
    private static func hash(after previous: [UInt8], _ fields: [String]) -> [UInt8] {
        Array(SHA256.hash(data: previous + fields.flatMap { Array("\($0.utf8.count):\($0)".utf8) }))
    }

    private func hashes(_ school: School) async throws -> [[UInt8]] {
        let organization = school.organization.id
        return try await school.database.read { transaction in
            try transaction.all(
                "SELECT hash FROM audit_entry WHERE organization_id = $1 ORDER BY sequence", [organization]
            ) { try $0[0] }
        }
    }

    @Test(
        "an entry changed together with its own hash breaks the chain at the next one",
        arguments: TestDatabase.available)
    func changedWithHash(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            try await append(5, to: school)
            let second = try await hashes(school)[1]
            let at = Int(school.fixed.now.timeIntervalSince1970)
            let forged = Self.hash(
                after: second, ["3", "\(at)", "operator", "person.changed", "person:2", "done", "role", "command line"])
            try await database.write {
                try $0.execute("UPDATE audit_entry SET detail = 'role', hash = $1 WHERE sequence = 3", [forged])
            }
            let broken = try await firstBreak(school)
            #expect(broken == 4)
        }
    }

    @Test(
        "the hashes of a chain are these, on every machine and in every version",
        arguments: TestDatabase.available)
    func vector(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (organization, at) = (school.organization.id, Date(timeIntervalSince1970: 1_767_225_600))
            try await database.write { transaction in
                try AuditEntry(
                    .personCreated, by: .operator, on: "person:1", outcome: .done, from: .commandLine
                ).append(to: organization, at: at, in: transaction)
                try AuditEntry(
                    .signIn, by: .system, on: "person:1", outcome: .refused, detail: "wrong pässword", from: .system
                ).append(to: organization, at: at.addingTimeInterval(1), in: transaction)
            }
            let found = try await hashes(school).map { $0.map { String(format: "%02x", $0) }.joined() }
            #expect(
                found == [
                    "56fba9a3c06793cb731d3a9dc48489ba077743548dee35405a221dc484604635",
                    "fedb256551c46e0745aacb6c4f509bc5f72df8a971d661887b63baefbe52f15b",
                ])
        }
    }

    @Test("a changed hash shows at its own entry", arguments: TestDatabase.available)
    func changedHash(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            try await append(3, to: school)
            let hash = [UInt8](repeating: 7, count: 32)
            try await database.write { try $0.execute("UPDATE audit_entry SET hash = $1 WHERE sequence = 2", [hash]) }
            let broken = try await firstBreak(school)
            #expect(broken == 2)
        }
    }

    @Test("an entry stays or goes with the transaction that it tells of", arguments: TestDatabase.available)
    func withTransaction(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (organization, now) = (school.organization.id, school.fixed.now)
            await #expect(throws: DirectoryError.self) {
                try await database.write { transaction in
                    try AuditEntry(.personCreated, by: .operator, on: "person:1", outcome: .done, from: .commandLine)
                        .append(to: organization, at: now, in: transaction)
                    throw DirectoryError.unknownPerson("x")
                }
            }
            let records = try await school.auditRecords()
            #expect(records == [])
        }
    }
}
