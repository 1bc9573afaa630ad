import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct UserNameTests {
    @Test("a format that needs what pupils lack fails and names their lines", arguments: TestDatabase.available)
    func missingBlock(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{email_address}")
            let report = try await district.apply(.example)
            #expect(report.outcome == .defective)
            #expect(
                report.found == [
                    "students.csv:2 email_address MANAGED_ID_GENERATION_FAILED",
                    "students.csv:3 email_address MANAGED_ID_GENERATION_FAILED",
                ])
            #expect(try await district.select("SELECT source_id FROM person") == [])
        }
    }

    @Test("a name leaves room for the number of a namesake", arguments: TestDatabase.available)
    func length(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database, format: "{first_name}@b.example")
            let longest = String(repeating: "x", count: 110)
            func pupils(_ name: String) -> RosterTexts {
                .example.adding("S-3001,LOC-10,\(name),A,,,,,,,", "S-3002,LOC-10,\(name),B,,,,,,,", to: .students)
            }
            let refused = try await district.apply(pupils(longest + "y"))
            #expect(refused.found.map { $0.prefix(14) } == ["students.csv:6", "students.csv:7"])
            #expect(try await district.apply(pupils(longest)).outcome == .applied)
            #expect(try await district.person("S-3002")?.userName == "\(longest)2@b.example")
        }
    }

    @Test("only new people need a name", arguments: TestDatabase.available)
    func existingPeople(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            try await district.execute("UPDATE organization SET user_name_format = '{email_address}'")
            #expect(try await district.apply(.example).outcome == .nothingToDo)
            #expect(try await district.person("S-1001")?.userName == "noor.haddad@birch.example")
        }
    }

    @Test("namesakes are numbered, past names that somebody has already", arguments: TestDatabase.available)
    func namesakes(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            // Another organization of the server has the first of the names.
            let other = try await District(in: database, name: "Other")
            try await other.apply(.example)
            let district = try await District(in: database)
            let report = try await district.apply(
                .example.adding(
                    "S-3001,LOC-10,Noor,Haddad,,,,,,,", "S-3002,LOC-10,Noor,Haddad,,,,,,,",
                    // A name of its own that is also the number two of another.
                    "S-3003,LOC-10,Noor,Haddad2,,,,,,,", to: .students))
            #expect(report.outcome == .applied)
            let names = try await district.select(
                """
                SELECT user_name FROM person
                WHERE organization_id = \(district.organization.id.rawValue) AND given_name = 'Noor'
                ORDER BY source_id
                """)
            #expect(Set(names).count == 4)
            #expect(names.allSatisfy { $0.hasPrefix("noor.haddad") && $0.hasSuffix("@birch.example") })
            #expect(!names.contains("noor.haddad@birch.example"))
        }
    }

    @Test("a name that is kept for whoever had it goes to nobody new", arguments: TestDatabase.available)
    func keptNames(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let other = try await District(in: database, name: "Other")
            try await other.apply(.example)
            let noor = try #require(try await other.person("S-1001"))
            try await database.write { transaction in
                let now = noor.modifiedAt
                try noor.rename(
                    userName: "noor@birch.example", keepingFormerUntil: now.addingTimeInterval(1e9), at: now,
                    in: transaction)
            }
            let district = try await District(in: database)
            #expect(try await district.apply(.example).outcome == .applied)
            #expect(try await district.person("S-1001")?.userName == "noor.haddad2@birch.example")
        }
    }
}
