import CommandOutput
import Directory
import Foundation
import Storage

/// The output of commands about a person.
struct PersonReport: Encodable, Sendable {
    struct RoleReport: Encodable, Sendable {
        let role: Role
        /// `LO:` and a number; nil for the organization itself.
        let locationID: String?
        let location: String?

        var text: String { location.map { "\(role.title), \($0)" } ?? role.title }

        init(_ assignment: RoleAssignment, in organization: OrganizationID, _ transaction: some Transaction) throws {
            role = assignment.role
            locationID = assignment.location.map { "LO:\($0.rawValue)" }
            location = try assignment.location.flatMap { try Location.find($0, in: organization, transaction)?.name }
        }
    }

    let number: Int64
    /// The organization's id; nil for a personal account.
    let organization: String?
    let organizationName: String?
    let userName: String
    let firstName: String
    let middleName: String?
    let lastName: String
    let email: String?
    let grade: String?
    let personID: String?
    let source: RecordSource
    let state: Person.State
    let passwordPolicy: PasswordPolicy
    /// Wrong passwords in a row, from unknown browsers.
    let wrongPasswords: Int
    /// Until when unknown browsers have to wait.
    let pausedUntil: Date?
    /// Number of browsers in which the person has signed in before.
    let knownBrowsers: Int
    let roles: [RoleReport]
    let createdAt: Date
    let modifiedAt: Date

    /// Reads the record again, because commands pass the one from before their change.
    init(_ person: Person, in transaction: some Transaction) throws {
        let person = try Person.find(person.id, in: transaction) ?? person
        let home = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        number = person.id.rawValue
        organization = home?.publicID
        organizationName = home?.name
        userName = person.userName
        firstName = person.givenName
        middleName = person.middleName
        lastName = person.familyName
        email = person.email
        grade = person.grade
        personID = person.sourceID
        source = person.source
        state = person.state
        passwordPolicy = try PasswordPolicy.effective(for: person, in: transaction)
        let credential = try Credential.find(for: person.id, in: transaction)
        wrongPasswords = credential?.failures ?? 0
        pausedUntil = credential?.pausedUntil
        knownBrowsers = try KnownBrowser.count(of: person.id, in: transaction)
        roles =
            try home.map { home in
                try RoleAssignment.list(of: person.id, in: transaction)
                    .map { try RoleReport($0, in: home.id, transaction) }
            } ?? []
        createdAt = person.createdAt
        modifiedAt = person.modifiedAt
    }

    var fullName: String { Person.fullName(givenName: firstName, familyName: lastName) }

    private var wait: String {
        pausedUntil.map {
            """
            ; other browsers than the known ones can sign in again from \($0.minuteText) UTC, or after `lanyard person \
            unlock`
            """
        } ?? ""
    }

    var text: String {
        Table.fields([
            ("Name", Person.fullName(givenName: firstName, middleName: middleName, familyName: lastName)),
            ("User name", userName),
            ("Number", "\(number)"),
            ("Person id", personID),
            ("Organization", organizationName ?? "none: a personal account"),
            ("State", state.words),
            ("Roles", roles.isEmpty ? "none" : roles.map(\.text).joined(separator: "; ")),
            ("Email", email),
            ("Grade", grade),
            ("Password", passwordPolicy.words),
            ("Known browsers", "\(knownBrowsers)"),
            ("Wrong passwords", wrongPasswords > 0 ? "\(wrongPasswords)" + wait : nil),
            ("Kept up by", source == .csv ? "the import" : "hand"),
            ("Made", "\(createdAt.minuteText) UTC"),
            ("Changed", "\(modifiedAt.minuteText) UTC"),
        ])
    }
}

extension Person.State {
    var words: String {
        switch self {
        case .new: "new: has never signed in"
        case .active: "active"
        case .deactivated: "deactivated: cannot sign in, and apps do not see the person"
        case .locked: "locked for a while after too many wrong passwords; `lanyard person unlock` ends it"
        }
    }
}
