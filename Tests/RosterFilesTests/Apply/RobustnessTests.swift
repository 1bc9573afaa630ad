import Directory
import Foundation
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct RobustnessTests {
    @Test("a full disk leaves everything as it was, and the next import works")
    func fullDisk() async throws {
        let (location, remove) = try await TestDatabase.sqlite.makeEmpty()
        // Room for the schema and the example, not for two thousand people.
        let tight = try SQLiteDatabase(path: location, pagesMax: 330)
        try await tight.migrate(Schema.migrations)
        let district = try await District(in: tight, format: "{sis_username}@maple.example")
        try await district.apply(.example)
        let before = try await district.dump()

        await #expect {
            try await district.force(.maple)
        } throws: { error in
            if case .full = error as? DatabaseError { true } else { false }
        }
        #expect(try await district.dump() == before)
        #expect(try await district.select("SELECT summary FROM roster_import").count == 1)
        await tight.close()

        let roomy = try SQLiteDatabase(path: location)
        let id = district.organization.id
        let report = try await RosterTexts.example.onDisk { path in
            try await RosterImporter(database: roomy, surroundings: district.surroundings).run(
                organization: id, from: path, mode: .apply(approval: nil), actor: .operator, origin: .commandLine)
        }
        #expect(report.outcome == .nothingToDo)
        await roomy.close()
        await remove()
    }

    @Test("of two imports at the same time one waits for the other", arguments: TestDatabase.available)
    func together(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            async let first = district.apply(.maple)
            async let second = district.apply(.maple)
            let outcomes = try await [first.outcome, second.outcome]
            #expect(outcomes.filter { $0 == .applied }.count == 1)
            #expect(outcomes.filter { $0 == .nothingToDo }.count == 1)
            let people = try await district.select("SELECT CAST(COUNT(*) AS TEXT) FROM person")
            #expect(people == ["\(RosterTexts.mapleCounts.people)"])
        }
    }

    @Test("sign-ins and role changes go on during an import", arguments: TestDatabase.available)
    func besides(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            let (id, now) = (district.organization.id, district.now)
            let isDone = Mutex(false)
            async let report = {
                defer { isDone.withLock { $0 = true } }
                return try await district.apply(.maple)
            }()
            var meanwhile = 0
            for number in 1...50 {
                try await database.write { transaction in
                    let person = try Person.insert(
                        in: id, givenName: "Hand", familyName: "Made", userName: "hand\(number)@maple.example", at: now,
                        in: transaction)
                    try RoleAssignment(.staff, at: nil).insert(for: person.id, of: id, at: now, in: transaction)
                    try AuditEntry(.personCreated, by: .operator, on: "person", outcome: .done, from: .commandLine)
                        .append(to: id, at: now, in: transaction)
                }
                if !isDone.withLock({ $0 }) { meanwhile += 1 }
            }
            let outcome = try await report.outcome
            #expect(outcome == .applied)
            #expect(meanwhile > 0)
            #expect(try await database.read { try AuditRecord.firstBreak(of: id, in: $0) } == nil)
        }
    }

    @Test("progress runs through every phase and never backwards", arguments: TestDatabase.available)
    func progress(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{sis_username}@maple.example")
            let seen = Mutex<[ImportProgress]>([])
            let id = district.organization.id
            try await RosterTexts.maple.onDisk { path in
                _ = try await district.importer.run(
                    organization: id, from: path, mode: .apply(approval: nil), actor: .operator, origin: .commandLine
                ) { progress in seen.withLock { $0.append(progress) } }
            }
            let all = seen.withLock { $0 }
            #expect(Set(all.map(\.phase)) == Set(ImportProgress.Phase.allCases))
            #expect(all.count <= 400)
            for phase in ImportProgress.Phase.allCases {
                let fractions = all.filter { $0.phase == phase }.map(\.fraction)
                #expect(fractions == fractions.sorted())
                #expect(fractions.last == 1)
            }
        }
    }

    @Test("an organization that is not there is an error", arguments: TestDatabase.available)
    func unknownOrganization(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            await #expect(throws: DirectoryError.unknownOrganization("999")) {
                try await district.importer.run(
                    organization: OrganizationID(rawValue: 999), from: "/nowhere", mode: .planOnly(), actor: .operator,
                    origin: .commandLine)
            }
        }
    }

    @Test("a business has no roster to import", arguments: TestDatabase.available)
    func business(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.execute("UPDATE organization SET kind = 'business'")
            await #expect(throws: RosterImportError.notASchool("Birch District")) {
                try await district.apply(.example)
            }
        }
    }

    @Test("a path that leads nowhere is in the report", arguments: TestDatabase.available)
    func nowhere(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            let report = try await district.importer.run(
                organization: district.organization.id, from: "/nowhere/at.zip", mode: .planOnly(), actor: .operator,
                origin: .commandLine)
            #expect(report.outcome == .defective)
            #expect(report.found == ["at.zip:- - unreadable_archive"])
        }
    }
}
