import Directory
import Foundation
import Storage

/// What administrators see of a person.
package struct PersonRecord: Codable, Equatable, Sendable, Versioned {
    package struct HeldRole: Codable, Equatable, Sendable {
        package let role: Role
        /// `LO:` and a number; nil for the organization itself.
        package let locationID: String?
        package let location: String?
        /// The first day, such as `2026-09-01`; nil for a role without beginning.
        package let from: CalendarDay?
        /// The last day; nil for a role without end.
        package let until: CalendarDay?

        init(_ held: PersonFacts.HeldRole) {
            role = held.assignment.role
            locationID = held.assignment.location.map { "LO:\($0.rawValue)" }
            location = held.locationName
            from = held.period.firstDay
            until = held.period.lastDay
        }

        package func state(at now: Date) -> RolePeriod.State {
            // The days come from a role, whose first day is not after its last.
            ((try? RolePeriod(from: from, until: until)) ?? .always).state(at: now)
        }
    }

    /// A user name from before.
    package struct FormerName: Codable, Equatable, Sendable {
        package let userName: String
        /// Until when nobody else gets it.
        package let keptUntil: Date
    }

    package let number: Int64
    /// The organization's id; nil for a personal account.
    package let organization: String?
    package let organizationName: String?
    package let userName: String
    /// The former user names that are kept for the person; nil if there are none.
    package let formerUserNames: [FormerName]?
    package let firstName: String
    package let middleName: String?
    package let lastName: String
    package let email: String?
    package let grade: String?
    package let personID: String?
    package let source: RecordSource
    package let state: Person.State
    /// The number of the record that is kept instead of this one; nil if this one was not merged into another.
    package let mergedInto: Int64?
    /// What a new password of the person looks like.
    package let passwordPolicy: PasswordPolicy
    /// What the record itself says about that; nil if it follows from the roles and their locations.
    package let ownPasswordPolicy: PasswordPolicy?
    /// The number of consecutive wrong passwords from unknown browsers.
    package let wrongPasswords: Int
    /// The time until which unknown browsers have to wait.
    package let pausedUntil: Date?
    /// The number of browsers in which the person has signed in before.
    package let knownBrowsers: Int
    package let roles: [HeldRole]
    package let createdAt: Date
    package let modifiedAt: Date
    /// Changes whenever an administrator changes the account, but not when the person signs in.
    package let version: String

    /// Reads the person again: a change passes the record as it was before.
    package init(_ person: Person, in transaction: some Transaction) throws {
        let person = try Person.find(person.id, in: transaction) ?? person
        self.init(
            person, of: try person.organizationID.flatMap { try Organization.find($0, in: transaction) },
            try PersonFacts.read(of: person.id, in: transaction))
    }

    /// - Parameter people: records that were just read, and are not read again.
    static func list(_ people: [Person], in transaction: some Transaction) throws -> [PersonRecord] {
        let facts = try PersonFacts.read(of: people.map(\.id), in: transaction)
        var homes: [OrganizationID: Organization] = [:]
        return try people.map { person in
            if let id = person.organizationID, homes[id] == nil {
                homes[id] = try Organization.find(id, in: transaction)
            }
            return PersonRecord(
                person, of: person.organizationID.flatMap { homes[$0] }, facts[person.id] ?? PersonFacts())
        }
    }

    private init(_ person: Person, of home: Organization?, _ facts: PersonFacts) {
        number = person.id.rawValue
        organization = home?.publicID
        organizationName = home?.name
        userName = person.userName
        formerUserNames =
            facts.formerUserNames.isEmpty
            ? nil : facts.formerUserNames.map { FormerName(userName: $0.userName, keptUntil: $0.keptUntil) }
        firstName = person.givenName
        middleName = person.middleName
        lastName = person.familyName
        email = person.email
        grade = person.grade
        personID = person.sourceID
        source = person.source
        state = person.state
        mergedInto = facts.mergedInto?.rawValue
        passwordPolicy = facts.passwordPolicy(own: person.passwordPolicy)
        ownPasswordPolicy = person.passwordPolicy
        wrongPasswords = facts.wrongPasswords
        pausedUntil = facts.pausedUntil
        knownBrowsers = facts.knownBrowsers
        roles = home == nil ? [] : facts.roles.map(HeldRole.init)
        createdAt = person.createdAt
        modifiedAt = person.modifiedAt
        version = Self.version(of: person, home == nil ? [] : facts.roles)
    }

    package var fullName: String { Person.fullName(givenName: firstName, familyName: lastName) }

    /// A hash of what administrators can change. It leaves out what signing in changes, so that no administrator's edit
    /// is refused for that.
    private static func version(of person: Person, _ held: [PersonFacts.HeldRole]) -> String {
        // In one buffer: this is computed for each person of a page.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        func add(_ part: String?) {
            bytes.append(contentsOf: (part ?? "\u{1}").utf8)
            bytes.append(0)
        }
        add(person.userName)
        add(person.givenName)
        add(person.middleName)
        add(person.familyName)
        add(person.email)
        add(person.grade)
        add(person.sourceID)
        add(person.personNumber)
        add(person.sisUserName)
        add(person.passwordPolicy?.rawValue)
        add(person.state == .deactivated ? "deactivated" : "")
        for role in held {
            bytes.append(contentsOf: role.assignment.role.rawValue.utf8)
            bytes.append(UInt8(ascii: " "))
            add(String(role.assignment.location?.rawValue ?? 0))
            guard role.period != .always else { continue }
            bytes[bytes.count - 1] = UInt8(ascii: " ")
            add(role.period.text)
        }
        return .version(of: bytes.dropLast())
    }
}
