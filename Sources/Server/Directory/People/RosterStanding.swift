import Foundation
import Storage

/// What somebody is in the organization that owns the account, as the Roster API tells it too.
package struct RosterStanding: Equatable, Sendable {
    /// The roles that count now, each once. Empty for a member without one.
    package let roles: [RosterRole]
    /// Nil for whoever is no student.
    package let grade: String?

    package init(roles: [RosterRole], grade: String?) {
        self.roles = roles
        self.grade = grade
    }

    /// Nil for a personal account.
    package init?(of person: Person, at now: Date, in transaction: some Transaction) throws {
        guard person.organizationID != nil else { return nil }
        let held = Set(try RoleAssignment.inForce(of: person.id, at: now, in: transaction).map(\.role.rosterRole))
        roles = RosterRole.allCases.filter(held.contains)
        grade = held.contains(.student) ? person.grade : nil
    }
}
