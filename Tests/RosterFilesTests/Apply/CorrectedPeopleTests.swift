import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// What an import makes of people whose records an administrator has changed.
@Suite struct CorrectedPeopleTests {
    @Test("an import puts back what its files say of somebody who was corrected", arguments: TestDatabase.available)
    func corrections(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let noor = try #require(try await district.person("S-1001"))
            try await database.write { transaction in
                var details = noor.details
                details.middleName = "Amal"
                details.grade = "12"
                let changed = try noor.correct(
                    to: details, at: noor.modifiedAt.addingTimeInterval(60), in: transaction)
                #expect(changed == [.middleName, .grade])
            }
            #expect(try await district.apply(.example).outcome == .applied)
            let after = try await district.person("S-1001")
            #expect(after?.id == noor.id && after?.details == noor.details)
        }
    }

    @Test(
        "an import finds the record that was kept by the other's person id, and makes no third one",
        arguments: TestDatabase.available)
    func merged(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await district.apply(.example)
            let imported = try #require(try await district.person("S-1001"))
            let now = imported.modifiedAt.addingTimeInterval(60)
            let kept = try await database.write { transaction in
                let kept = try Person.insert(
                    in: district.organization.id, givenName: imported.givenName, familyName: imported.familyName,
                    userName: "noor@birch.example", at: now, in: transaction)
                _ = try PersonMerge.make(of: imported, into: kept, at: now, in: transaction)
                return kept
            }
            let people = try await district.select("SELECT user_name FROM person ORDER BY id")
            let report = try await district.apply(.example)
            #expect(report.outcome == .applied)
            let found = try #require(try await district.person("S-1001"))
            #expect(found.id == kept.id && found.source == .csv && found.state != .deactivated)
            #expect(found.grade == imported.grade && found.userName == "noor@birch.example")
            #expect(try await district.select("SELECT user_name FROM person ORDER BY id") == people)
            let roles = try await database.read { try RoleAssignment.recorded(of: kept.id, in: $0) }
            #expect(roles.map(\.role) == [.student])
            // The next one has nothing to say.
            #expect(try await district.apply(.example).outcome == .nothingToDo)
        }
    }
}
