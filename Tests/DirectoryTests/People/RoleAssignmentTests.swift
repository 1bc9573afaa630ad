import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RoleAssignmentTests {
    @Test("a person holds several roles at several places", arguments: TestDatabase.available)
    func several(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let annex = try await school.insertLocation("Annex")
            let nadia = try await school.insertPerson("nadia", .instructor, .manager)
            try await school.assign(.instructor, at: annex.id, to: nadia)
            try await school.assign(.instructor, at: annex.id, to: nadia)
            try await school.assign(.staff, at: nil, to: nadia)
            let roles = try await database.read { try RoleAssignment.recorded(of: nadia.id, in: $0) }
            #expect(
                roles == [
                    RoleAssignment(.staff, at: nil), RoleAssignment(.instructor, at: school.location.id),
                    RoleAssignment(.manager, at: school.location.id), RoleAssignment(.instructor, at: annex.id),
                ])
        }
    }

    @Test("a role at a foreign or unknown place is refused", arguments: TestDatabase.available)
    func foreignPlace(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let oak = try await School.insert(in: database, name: "Oak")
            let nadia = try await school.insertPerson("nadia", .staff)
            for place in [oak.location.id, LocationID(rawValue: 999)] {
                await #expect(throws: DirectoryError.unknownLocation("LO:\(place.rawValue)")) {
                    try await school.assign(.staff, at: place, to: nadia)
                }
            }
        }
    }

    @Test("nobody gets a role in an organization that does not own the account", arguments: TestDatabase.available)
    func foreignPerson(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database, name: "Maple")
            let oak = try await School.insert(in: database, name: "Oak")
            let stranger = try await oak.insertPerson("stranger", .staff)
            let personal = try await database.write { transaction in
                try Person.insert(
                    in: nil, givenName: "Dev", familyName: "Eloper", userName: "dev@example.com",
                    at: FixedSurroundings.start, in: transaction)
            }
            for person in [stranger, personal] {
                await #expect(throws: DirectoryError.unknownPerson(String(person.id.rawValue))) {
                    try await maple.assign(.administrator, at: nil, to: person)
                }
            }
        }
    }

    @Test("a business has no school roles", arguments: TestDatabase.available)
    func business(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let business = try await School.insert(in: database, name: "Burgers & Tacos", kind: .business)
            for role in Role.allCases {
                let isTaken = (try? await business.insertPerson("p-\(role.rawValue)", role)) != nil
                #expect(
                    isTaken
                        == [.administrator, .peopleManager, .deviceEnrollmentManager, .contentManager, .staff].contains(
                            role))
            }
        }
    }

    @Test("adding and removing a role marks the person as changed", arguments: TestDatabase.available)
    func touches(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let nadia = try await school.insertPerson("nadia", .student)
            let role = RoleAssignment(.student, at: school.location.id)
            let later = FixedSurroundings.start + 60
            let (first, second) = try await database.write { transaction in
                (
                    try role.delete(for: nadia.id, at: later, in: transaction),
                    try role.delete(for: nadia.id, at: later + 60, in: transaction)
                )
            }
            #expect(first == true)
            #expect(second == false)
            let (person, roles) = try await database.read {
                (try Person.find(nadia.id, in: $0), try RoleAssignment.recorded(of: nadia.id, in: $0))
            }
            #expect(roles == [])
            #expect(person?.modifiedAt == later)
        }
    }

    @Test("apps see three roles, and only two may share data")
    func rosterRoles() {
        #expect(Role.allCases.filter { $0.rosterRole == .student } == [.student])
        #expect(Role.allCases.filter { $0.rosterRole == .instructor } == [.instructor])
        #expect(Role.allCases.filter { $0.rosterRole == .staff }.count == 7)
        #expect(Role.allCases.filter(\.mayShareData) == [.administrator, .siteManager])
    }

    @Test("the role of a query is read in any case, and nothing else is a role")
    func lenient() {
        #expect(["Student", "student", "STUDENT"].map(RosterRole.init(lenient:)) == [.student, .student, .student])
        #expect(
            ["", "Students", "Administrator", "Student,Staff", "ſtudent"].allSatisfy { RosterRole(lenient: $0) == nil })
    }
}
