import Crypto
import Directory
import Foundation
import Ground
import Storage

/// What administrators see of a person.
package struct PersonRecord: Codable, Equatable, Sendable, Versioned {
    package struct HeldRole: Codable, Equatable, Sendable {
        package let role: Role
        /// `LO:` and a number; nil for the organization itself.
        package let locationID: String?
        package let location: String?

        init(_ assignment: RoleAssignment, in organization: OrganizationID, _ transaction: some Transaction) throws {
            role = assignment.role
            locationID = assignment.location.map { "LO:\($0.rawValue)" }
            location = try assignment.location.flatMap { try Location.find($0, in: organization, transaction)?.name }
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
    /// Those that are kept for the person; nil if there are none.
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
    package let passwordPolicy: PasswordPolicy
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
        let home = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        number = person.id.rawValue
        organization = home?.publicID
        organizationName = home?.name
        userName = person.userName
        let former = try FormerUserName.list(of: person.id, in: transaction)
        formerUserNames =
            former.isEmpty ? nil : former.map { FormerName(userName: $0.userName, keptUntil: $0.keptUntil) }
        firstName = person.givenName
        middleName = person.middleName
        lastName = person.familyName
        email = person.email
        grade = person.grade
        personID = person.sourceID
        source = person.source
        state = person.state
        mergedInto = try PersonMerge.destination(of: person.id, in: transaction)?.rawValue
        passwordPolicy = try PasswordPolicy.effective(for: person, in: transaction)
        let credential = try Credential.find(for: person.id, in: transaction)
        wrongPasswords = credential?.failures ?? 0
        pausedUntil = credential?.pausedUntil
        knownBrowsers = try KnownBrowser.count(of: person.id, in: transaction)
        let held = try home == nil ? [] : RoleAssignment.list(of: person.id, in: transaction)
        roles = try home.map { home in try held.map { try HeldRole($0, in: home.id, transaction) } } ?? []
        createdAt = person.createdAt
        modifiedAt = person.modifiedAt
        version = Self.version(of: person, held)
    }

    package var fullName: String { Person.fullName(givenName: firstName, familyName: lastName) }

    /// A hash of what administrators can change. It leaves out what signing in changes, so that no administrator's edit
    /// is refused for that.
    private static func version(of person: Person, _ held: [RoleAssignment]) -> String {
        var parts = [
            person.userName, person.givenName, person.middleName, person.familyName, person.email, person.grade,
            person.sourceID, person.personNumber, person.sisUserName, person.passwordPolicy?.rawValue,
            person.state == .deactivated ? "deactivated" : "",
        ].map { $0 ?? "\u{1}" }
        parts += held.map { "\($0.role.rawValue) \($0.location?.rawValue ?? 0)" }
        let digest = SHA256.hash(data: Data(parts.joined(separator: "\u{0}").utf8))
        return Data(digest.prefix(12)).base64URLEncoded
    }
}
