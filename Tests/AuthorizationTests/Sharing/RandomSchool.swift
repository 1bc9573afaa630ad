import Directory
import Fixtures
import Foundation
import Storage

/// A made-up school with everything that rules ask about: roles at places and at the organization itself, roles that are
/// over or still to come, grades and none, deactivated people, archived classes, and classes without a place.
struct RandomSchool: Sendable {
    let school: School
    let places: [LocationID]
    let people: [PersonID]
    let classes: [ClassID]

    static let grades = ["7", "8", "9", "O'Neil", "七"]

    init(in database: any Database, people count: Int, classes classCount: Int) async throws {
        let school = try await School.insert(in: database)
        let places = [school.location.id, try await school.insertLocation("Annex").id]
        let other = try await School.insert(in: database, school.fixed, name: "Oak")
        let (organization, now) = (school.organization.id, school.fixed.now)
        let today = CalendarDay(now)
        let periods = [
            try RolePeriod(from: nil, until: today.adding(days: -9)),
            try RolePeriod(from: today.adding(days: 9), until: nil),
            try RolePeriod(from: today.adding(days: -9), until: today.adding(days: 9)),
        ]
        let stranger = try await other.insertPerson("stranger", .student, grade: "7")
        let (people, classes) = try await database.write { transaction -> ([PersonID], [ClassID]) in
            var people: [PersonID] = []
            for index in 0..<count {
                let person = try Person.insert(
                    in: organization, givenName: "Given \(index)", familyName: "Family",
                    email: Bool.random() ? "p\(index)@maple.example" : nil,
                    grade: Bool.random() ? Self.grades.randomElement() : nil, userName: "p\(index)@maple.example",
                    at: now, in: transaction)
                for _ in 0..<Int.random(in: 0...3) {
                    let role = [Role.student, .student, .instructor, .staff, .administrator].randomElement()!
                    let place = Int.random(in: 0..<5) == 0 ? nil : places.randomElement()
                    // A school keeps an Administrator without end.
                    let hasDays = role != .administrator && Int.random(in: 0..<3) == 0
                    try RoleAssignment(role, at: place).insert(
                        for: person.id, of: organization, during: hasDays ? periods.randomElement()! : .always,
                        at: now, in: transaction)
                }
                people.append(person.id)
            }
            var classes: [ClassID] = []
            for index in 0..<classCount {
                let members = people.shuffled()
                let id = try RosterClass.insert(
                    in: organization, name: "Class \(index)", displayName: "Nickname", number: "\(index)", room: "R",
                    location: Int.random(in: 0..<4) == 0 ? nil : places.randomElement(),
                    instructors: Array(members.prefix(Int.random(in: 0...3))),
                    students: Array(members.suffix(Int.random(in: 0...6))) + [stranger.id], at: now, in: transaction)
                if Int.random(in: 0..<4) == 0 {
                    try transaction.execute("UPDATE class SET archived_at = $2 WHERE id = $1", [id, now])
                }
                classes.append(id)
            }
            for person in people.shuffled().prefix(count / 8) {
                try transaction.execute("UPDATE person SET state = 'deactivated' WHERE id = $1", [person])
            }
            return (people, classes)
        }
        self.school = school
        self.places = places
        self.people = people
        self.classes = classes
    }

    func randomRules() -> SharingRules {
        func some<Value: Hashable>(of values: [Value]) -> Set<Value>? {
            Int.random(in: 0..<3) == 0 ? Set(values.filter { _ in Bool.random() }) : nil
        }
        return SharingRules(
            locations: some(of: places + [.none]), grades: some(of: Self.grades), roles: some(of: RosterRole.allCases),
            classes: some(of: classes), withheld: some(of: SharedField.allCases) ?? [],
            leftOut: some(of: people) ?? [])
    }
}
