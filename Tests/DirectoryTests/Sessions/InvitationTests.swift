import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct InvitationTests {
    private func invite(_ school: School, as role: Role = .administrator) async throws -> String {
        let (organization, now, surroundings) = (school.organization.id, school.fixed.now, school.fixed.surroundings)
        return try await school.database.write { transaction in
            try Invitation.insert(to: organization, as: role, at: now, from: surroundings, in: transaction).text
        }
    }

    private func take(_ school: School, _ secret: String) async throws -> Invitation? {
        let now = school.fixed.now
        return try await school.database.write { try Invitation.take(secret, at: now, in: $0) }
    }

    @Test("a link is looked at often and spent once", arguments: TestDatabase.available)
    func spentOnce(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let secret = try await invite(school)
            let now = school.fixed.now
            for _ in 0..<2 {
                let seen = try await database.read { try Invitation.find(secret, at: now, in: $0) }
                #expect(seen?.organizationID == school.organization.id)
                #expect(seen?.role == .administrator)
            }
            let (first, second) = (try await take(school, secret), try await take(school, secret))
            let seen = try await database.read { try Invitation.find(secret, at: now, in: $0) }
            #expect(first?.role == .administrator)
            #expect(second == nil)
            #expect(seen == nil)
        }
    }

    @Test("of twenty who use a link at once, one gets it", arguments: TestDatabase.available)
    func race(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let secret = try await invite(school)
            let outcomes = await concurrently(0..<20) { _ in
                do {
                    return try await self.take(school, secret) != nil
                } catch {
                    Issue.record(error)
                    return false
                }
            }
            #expect(outcomes.filter { $0 }.count == 1)
        }
    }

    @Test("a link is good for a day, and nothing else opens the door", arguments: TestDatabase.available)
    func expires(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let secret = try await invite(school)
            for wrong in ["", "x", String(secret.dropLast()), secret.lowercased() + "a"] {
                let taken = try await take(school, wrong)
                #expect(taken == nil)
            }
            school.fixed.advance(by: 86_400)
            let late = try await take(school, secret)
            #expect(late == nil)
            school.fixed.advance(by: -1)
            let justInTime = try await take(school, secret)
            #expect(justInTime != nil)
        }
    }

    @Test("a new link voids the one before, of the same organization only", arguments: TestDatabase.available)
    func replaces(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let other = try await School.insert(in: database, school.fixed, name: "Oak")
            let (old, foreign, new) = (try await invite(school), try await invite(other), try await invite(school))
            let (ofOld, ofForeign, ofNew) = (
                try await take(school, old), try await take(school, foreign), try await take(school, new)
            )
            #expect(ofOld == nil)
            #expect(ofForeign?.organizationID == other.organization.id)
            #expect(ofNew?.organizationID == school.organization.id)
        }
    }
}
