import Directory
import Foundation
import Storage

/// How somebody can come into a team of app developers, as the operations decide it.
package struct WaysIntoTeams: Equatable, Sendable {
    /// Whether they may make one: see ``AddTeam``.
    package let founding: Bool
    /// Whether they may use an invitation: see ``JoinTeam``.
    package let joining: Bool
    /// Whether they belong to one already.
    package let isMember: Bool

    /// Whether the developer portal has something for the person to which nobody has to invite them.
    package static func leadToPortal(
        _ person: Person, under founding: DeveloperRules.Founding, at now: Date, in transaction: some Transaction
    ) throws -> Bool {
        do {
            let authority = try Authority.of(person.id, at: now, in: transaction)
            return try WaysIntoTeams(of: authority, under: founding, transaction).areOpenUninvited
        } catch OperationError.signedOut {
            return false
        }
    }

    /// Whether the person is in a team, or may make one. An invitation may come to anybody.
    var areOpenUninvited: Bool { isMember || founding }

    init(
        of authority: Authority, under founding: DeveloperRules.Founding, _ transaction: some Transaction
    ) throws {
        let team = try TeamFounding(by: authority, under: founding, transaction)
        self.founding = team.isOpen(to: authority, for: AddTeam.privilege, in: transaction)
        joining = try TeamJoining.isAllowed(to: authority, in: transaction) && authority.has(JoinTeam.privilege)
        isMember = !authority.teams.isEmpty
    }
}

extension Administrator {
    /// - Throws: ``OperationError/signedOut`` for callers who cannot sign in any more.
    package func waysIntoTeams() async throws -> WaysIntoTeams {
        let founding = services.developers.founding
        return try await database.read { transaction in
            try WaysIntoTeams(of: authority(in: transaction), under: founding, transaction)
        }
    }
}
