import Directory
import Foundation
import Ground
import Storage

/// A school with one location, to which tests add people and classes.
package struct School: Sendable {
    package let database: any Database
    package let fixed: FixedSurroundings
    package let organization: Organization
    package let location: Location

    package static func insert(
        in database: any Database, _ fixed: FixedSurroundings = FixedSurroundings(), name: String = "Maple District",
        kind: Organization.Kind = .school, isSynthetic: Bool = false
    ) async throws -> School {
        let now = fixed.now
        return try await database.write { transaction in
            let organization = try Organization.insert(
                name: name, kind: kind, isSynthetic: isSynthetic, at: now, in: transaction)
            let location = try Location.insert(
                in: organization.id, name: "\(name) Main", timeZone: "Europe/Berlin", at: now, in: transaction)
            return School(database: database, fixed: fixed, organization: organization, location: location)
        }
    }

    package func insertLocation(_ name: String, studentPasswordPolicy: PasswordPolicy? = nil) async throws -> Location {
        let (organization, now) = (organization.id, fixed.now)
        return try await database.write { transaction in
            try Location.insert(
                in: organization, name: name, studentPasswordPolicy: studentPasswordPolicy, at: now, in: transaction)
        }
    }

    /// A person whose user name is the given name in lower case and `@maple.example`.
    /// - Parameter place: where the roles are held; nil: at the location of the school.
    package func insertPerson(
        _ givenName: String, _ roles: Role..., familyName: String = "Okoye", email: String? = nil,
        grade: String? = nil, passwordPolicy: PasswordPolicy? = nil, at place: LocationID? = nil
    ) async throws -> Person {
        let (organization, now, place) = (organization.id, fixed.now, place ?? location.id)
        return try await database.write { transaction in
            let person = try Person.insert(
                in: organization, givenName: givenName, familyName: familyName, email: email, grade: grade,
                userName: "\(givenName)@maple.example", passwordPolicy: passwordPolicy, at: now, in: transaction)
            for role in roles {
                try RoleAssignment(role, at: place).insert(for: person.id, of: organization, at: now, in: transaction)
            }
            return person
        }
    }

    package func insertClass(
        _ name: String, instructors: [Person] = [], students: [Person] = []
    ) async throws -> ClassID {
        let (organization, location, now) = (organization.id, location.id, fixed.now)
        let (instructorIDs, studentIDs) = (instructors.map(\.id), students.map(\.id))
        return try await database.write { transaction in
            try RosterClass.insert(
                in: organization, name: name, location: location, instructors: instructorIDs, students: studentIDs,
                at: now, in: transaction)
        }
    }

    package func assign(_ role: Role, at place: LocationID?, to person: Person) async throws {
        let (organization, now) = (organization.id, fixed.now)
        try await database.write { transaction in
            try RoleAssignment(role, at: place).insert(for: person.id, of: organization, at: now, in: transaction)
        }
    }

    package func deactivate(_ person: Person) async throws {
        let now = fixed.now
        try await database.write { try person.deactivate(at: now, in: $0) }
    }

    /// A session of the person, made active first as a sign-in would.
    package func signIn(_ person: Person) async throws -> BrowserSession {
        let (now, surroundings) = (fixed.now, fixed.surroundings)
        let session = try await database.write { transaction in
            try transaction.execute("UPDATE person SET state = 'active' WHERE id = $1 AND state = 'new'", [person.id])
            let token = try BrowserSession.insert(
                for: person.id, userAgent: nil, at: now, from: surroundings, in: transaction)
            return try BrowserSession.find(token: token.text, at: now, in: transaction)
        }
        guard let session else { throw DirectoryError.unknownPerson(person.userName) }
        return session
    }
}
