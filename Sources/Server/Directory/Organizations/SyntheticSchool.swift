import Foundation
import Storage

/// The school behind the test scope: made-up people and classes that show every state of a record. It never contains
/// real people, and only an app's own developers can consent for it. Sandboxes begin with the same people and classes.
package enum SyntheticSchool {
    private static let publicID = "3d6b1c52-7f0e-4a8b-9c41-5e2f8a90d7b6"

    /// Creates the school if the database has none yet.
    package static func make(in database: any Database, at now: Date) async throws {
        // Usually it exists, and nothing needs to be written at the start.
        if try await database.read({ try Organization.synthetic(in: $0) }) != nil { return }
        do {
            try await database.write { transaction in
                guard try Organization.synthetic(in: transaction) == nil else { return }
                try make(at: now, in: transaction)
            }
        } catch DatabaseError.uniqueViolation {
            // Another server process has created it at the same time; its school is equal.
        }
    }

    private static func make(at now: Date, in transaction: WriteTransaction) throws {
        let school = try Organization.insert(
            name: "Lanyard Test School", kind: .school, publicID: publicID, isSynthetic: true,
            userNameFormat: .standard(domain: "test-school.invalid"), at: now, in: transaction)
        try Domain.put("test-school.example", verifiedAt: now, of: school.id, at: now, in: transaction)
        try Domain.put("old-test-school.example", verifiedAt: nil, of: school.id, at: now, in: transaction)
        try fill(
            school, Domains(userNames: "test-school.invalid", email: "test-school.example"), at: now, in: transaction)
    }

    /// Where the user names and email addresses of a made-up school are.
    package struct Domains: Sendable {
        let userNames: String
        let email: String

        package init(userNames: String, email: String) {
            self.userNames = userNames
            self.email = email
        }
    }

    /// Makes people and classes in a school that has none yet.
    package static func fill(
        _ school: Organization, _ domains: Domains, at now: Date, in transaction: WriteTransaction
    ) throws {
        let locations = try [
            ("North Campus", domains.email, "America/Los_Angeles"), ("South Campus", nil, "Europe/Berlin"),
            ("Annex", nil, nil),
        ].map { name, domain, zone in
            try Location.insert(
                in: school.id, name: name, domainName: domain, timeZone: zone, at: now, in: transaction
            ).id
        }
        let students = try (100..<240).map { try makeStudent($0, of: school, domains, at: locations, now, transaction) }
        let staff = try makeStaff(of: school, domains, at: locations, now, transaction)
        try makeClasses(of: school, at: locations, students: students, staff: staff, now, transaction)
    }

    private static func makeStudent(
        _ number: Int, of school: Organization, _ domains: Domains, at locations: [LocationID], _ now: Date,
        _ transaction: WriteTransaction
    ) throws -> PersonID {
        // In turn: all fields; no email and no grade; no middle name; no email.
        let kind = number % 4
        let person = try Person.insert(
            in: school.id, givenName: "Given\(number)", middleName: kind == 2 ? nil : "Middle\(number)",
            familyName: "Family\(number)",
            email: kind == 1 || kind == 3 ? nil : "given\(number).family\(number)@\(domains.email)",
            grade: kind == 1 ? nil : "\(number % 12 + 1)", userName: "given\(number)@\(domains.userNames)", at: now,
            in: transaction)
        try RoleAssignment(.student, at: locations[number % 2]).insert(
            for: person.id, of: school.id, at: now, in: transaction)
        return person.id
    }

    private static func makeStaff(
        of school: Organization, _ domains: Domains, at locations: [LocationID], _ now: Date,
        _ transaction: WriteTransaction
    ) throws -> [PersonID] {
        let roles: [[RoleAssignment]] = [
            [.init(.instructor, at: locations[0])],
            // At two places.
            [.init(.instructor, at: locations[0]), .init(.instructor, at: locations[1])],
            // Two roles at one place.
            [.init(.instructor, at: locations[1]), .init(.staff, at: locations[1])],
            [.init(.staff, at: locations[2])],
            // At the organization itself.
            [.init(.administrator, at: nil)],
            // Teaches, and learns in a class.
            [.init(.instructor, at: locations[0]), .init(.student, at: locations[0])],
        ]
        return try roles.enumerated().map { index, roles in
            let person = try Person.insert(
                in: school.id, givenName: "Staff\(index + 1)", middleName: index == 0 ? "Middle" : nil,
                familyName: "Member\(index + 1)", email: "staff\(index + 1)@\(domains.email)",
                grade: roles.contains { $0.role == .student } ? "12" : nil,
                userName: "staff\(index + 1)@\(domains.userNames)", at: now, in: transaction)
            for role in roles { try role.insert(for: person.id, of: school.id, at: now, in: transaction) }
            return person.id
        }
    }

    private static func makeClasses(
        of school: Organization, at locations: [LocationID], students: [PersonID], staff: [PersonID], _ now: Date,
        _ transaction: WriteTransaction
    ) throws {
        func make(
            _ name: String, displayName: String?, number: String?, room: String?, location: LocationID?,
            instructors: [PersonID], students: some Sequence<PersonID>
        ) throws {
            _ = try RosterClass.insert(
                in: school.id, name: name, displayName: displayName, number: number, room: room, location: location,
                instructors: instructors, students: Array(students), at: now, in: transaction)
        }
        try make(
            "Algebra", displayName: "Alg A", number: "101", room: "N 1", location: locations[0],
            instructors: [staff[0]], students: students.prefix(30))
        try make(
            "Biology", displayName: nil, number: "102", room: "N 2", location: locations[0],
            instructors: [staff[1], staff[0]], students: students.dropFirst(20).prefix(25) + [staff[5]])
        try make(
            "Chemistry", displayName: nil, number: "103", room: nil, location: locations[1],
            instructors: [staff[2]], students: students.suffix(12))
        try make(
            "New class", displayName: nil, number: "104", room: "S 4", location: locations[1],
            instructors: [staff[1]], students: [])
        try make(
            "Study hall", displayName: "Hall", number: nil, room: nil, location: nil, instructors: [],
            students: students.dropFirst(60).prefix(5))
        try make(
            "Assembly", displayName: nil, number: "105", room: "Gym", location: locations[0],
            instructors: [staff[0]], students: students)
    }
}
