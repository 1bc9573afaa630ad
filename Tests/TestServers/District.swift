import Directory
import Foundation
import Storage

/// A school district with a record of each kind.
struct District: Sendable {
    static let password = "maple leaf 7"

    let organization: Organization
    /// Everything is filled in.
    let high: Location
    /// A name and nothing else.
    let annex: Location
    let administrator: Person
    let siteManager: Person
    let peopleManager: Person
    /// Teaches at both locations.
    let teacher: Person
    /// Every field is filled in.
    let nadia: Person
    /// Only what is required.
    let ben: Person
    /// ``nadia``, ``ben`` and more pupils.
    let students: [Person]
    let deactivated: Person
    let science: ClassID
    /// A name and nothing else.
    let hall: ClassID

    /// - Parameter passwordHash: the hash of ``password``, for people who sign in.
    static func insert(
        _ name: String, domain: String, studentCount: Int, passwordHash: String, at now: Date,
        in transaction: WriteTransaction
    ) throws -> District {
        let organization = try Organization.insert(name: name, kind: .school, at: now, in: transaction)
        try Domain.put(domain, verifiedAt: now, of: organization.id, at: now, in: transaction)
        try Domain.put("old-\(domain)", verifiedAt: nil, of: organization.id, at: now, in: transaction)
        let high = try Location.insert(
            in: organization.id, name: "High School", domainName: domain, timeZone: "America/Los_Angeles", at: now,
            in: transaction)
        let annex = try Location.insert(in: organization.id, name: "Annex", at: now, in: transaction)

        func person(
            _ given: String, _ family: String, middle: String? = nil, email: Bool = false, grade: String? = nil,
            _ roles: RoleAssignment...
        ) throws -> Person {
            let userName = "\(given.lowercased())@\(domain)"
            let person = try Person.insert(
                in: organization.id, givenName: given, middleName: middle, familyName: family,
                email: email ? "\(given.lowercased()).\(family.lowercased())@\(domain)" : nil, grade: grade,
                userName: userName, at: now, in: transaction)
            for role in roles { try role.insert(for: person.id, of: organization.id, at: now, in: transaction) }
            try Credential.put(passwordHash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            return person
        }
        let administrator = try person("Ada", "Admin", email: true, RoleAssignment(.administrator, at: nil))
        let siteManager = try person("Sam", "Site", RoleAssignment(.siteManager, at: nil))
        let peopleManager = try person("Paula", "People", RoleAssignment(.peopleManager, at: nil))
        let teacher = try person(
            "Tara", "Teacher", email: true, RoleAssignment(.instructor, at: high.id),
            RoleAssignment(.instructor, at: annex.id))
        let nadia = try person(
            "Nadia", "Okoye", middle: "Ife", email: true, grade: "7", RoleAssignment(.student, at: high.id))
        let ben = try person("Ben", "Berg", RoleAssignment(.student, at: high.id))
        let others = try (0..<(studentCount - 2)).map {
            try person("Pupil\($0)", "Maple", grade: "7", RoleAssignment(.student, at: high.id))
        }
        let gone = try person("Gone", "Away", email: true, grade: "7", RoleAssignment(.student, at: high.id))
        let students = [nadia, ben] + others
        let science = try RosterClass.insert(
            in: organization.id, name: "Earth Science", displayName: "Sci 7B", number: "SCI-7B", room: "North 14",
            location: high.id, instructors: [teacher.id], students: (students + [gone]).map(\.id), at: now,
            in: transaction)
        let hall = try RosterClass.insert(in: organization.id, name: "Study Hall", at: now, in: transaction)
        try gone.deactivate(at: now, in: transaction)
        return District(
            organization: organization, high: high, annex: annex, administrator: administrator,
            siteManager: siteManager, peopleManager: peopleManager, teacher: teacher, nadia: nadia, ben: ben,
            students: students, deactivated: gone, science: science, hall: hall)
    }

    /// How many people apps see.
    var visibleCount: Int { 4 + students.count }
}
