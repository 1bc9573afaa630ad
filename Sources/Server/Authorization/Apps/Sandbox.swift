import Directory
import Foundation
import Ground
import Storage

/// The school in which a team tries its apps: made-up people and classes, which the team can change as an administrator
/// of a school would. No other team's app reads it, and nobody of it signs in to one (``AccessRule/sandboxTeam``).
package enum Sandbox {
    /// How many people it can have when somebody is added or files are imported.
    package static let peopleMax = 2_000
    /// The same for classes and for locations.
    package static let (classesMax, locationsMax) = (500, 100)
    /// How many programs can administrate it, see `APIClient`.
    package static let programsMax = 5
    /// The size of all files of an import together, when they are unpacked, in bytes.
    package static let importBytesMax = 2 << 20
    /// How many a team can have within the time in which those that it has removed are erased.
    package static let perTeamMax = 3

    /// The sandbox of a team; nil if it has none.
    package static func find(of team: TeamID, in transaction: some Transaction) throws -> Organization? {
        try transaction.first(
            "SELECT id FROM organization WHERE sandbox_team_id = $1 AND closed_at IS NULL", [team]
        ) { try $0[0] as OrganizationID }.flatMap { try Organization.find($0, in: transaction) }
    }

    /// How many sandboxes of a team there are, removed ones among them that are not yet erased.
    package static func count(of team: TeamID, in transaction: some Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(*) FROM organization WHERE sandbox_team_id = $1 AND erased_at IS NULL", [team]
        ) { try $0[0] } ?? 0
    }

    /// Makes the sandbox of a team that has none, with people and classes.
    /// - Throws: ``DatabaseError/uniqueViolation(_:)`` if another has been made at the same time
    package static func make(
        for team: Team, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> Organization {
        // Never the same twice: a user name that was erased is nobody's for a while.
        let domain = "\(surroundings.randomBytes(5).hexadecimal).sandbox.invalid"
        let nameBytesMax = FieldRule.name.bytesMax - Organization.sandboxSuffix.utf8.count
        let school = try Organization.insert(
            name: team.name.shortened(toBytes: nameBytesMax) + Organization.sandboxSuffix, kind: .school,
            userNameFormat: .standard(domain: domain), at: now,
            in: transaction)
        try transaction.execute(
            "UPDATE organization SET sandbox_team_id = $2 WHERE id = $1", [school.id, team.id])
        try school.becomeSandbox(domain: domain, at: now, in: transaction)
        try SyntheticSchool.fill(school, .init(userNames: domain, email: domain), at: now, in: transaction)
        return try Organization.find(school.id, in: transaction)!  // it was inserted just now
    }
}
