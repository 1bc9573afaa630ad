import Authorization
import Directory
import Foundation
import Storage

/// The sandbox of a team, as its members see it.
package struct SandboxRecord: Codable, Equatable, Sendable, Versioned {
    /// The UUID of the organization, `org_id` on the wire.
    package let id: String
    /// The name of the organization, which ends with “(sandbox)”.
    package let name: String
    /// The name of the team.
    package let team: String
    /// The domain of all its user names.
    package let domain: String
    /// The user names of those who administrate it.
    package let administrators: [String]
    /// How many people apps can see.
    package let people: Int
    package let classes: Int
    package let createdAt: Date
    package let version: String

    init(_ sandbox: TeamSandbox, at now: Date, in transaction: some Transaction) throws {
        let organization = sandbox.whole.organization
        id = organization.publicID
        name = organization.name
        team = sandbox.team.name
        domain = organization.sandboxDomain ?? ""
        administrators = try sandbox.administrators(at: now, in: transaction).map(\.userName)
        people = try Person.count(of: organization.id, in: transaction)
        classes = sandbox.whole.classes
        createdAt = organization.createdAt
        version = try sandbox.version(in: transaction) ?? ""
    }
}

/// A sandbox with the password of its administrator, which is shown once.
package struct OpenedSandbox: Codable, Sendable {
    package let sandbox: SandboxRecord
    /// The name of the administrator whose password it is.
    package let name: String
    package let userName: String
    package let password: String
    package let validUntil: Date
}

/// The sandbox of a team, for the members of the team.
package struct TeamSandbox: OperationSubject {
    let team: Team
    let whole: WholeOrganization

    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { team.id }
    package var auditName: String { team.auditName }

    /// - Throws: ``OperationError/refused(_:remedy:)`` if the team has none
    init(of team: Team, at now: Date, in transaction: some Transaction) throws {
        guard let organization = try Sandbox.find(of: team.id, in: transaction) else {
            throw OperationError.refused(
                "\(team.name) has no sandbox.", remedy: .init(CreateSandbox.name, team.publicID))
        }
        self.team = team
        whole = try WholeOrganization(organization, at: now, in: transaction)
    }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: team.id) }

    package func version(in transaction: some Transaction) throws -> String? { try whole.version(in: transaction) }

    func administrators(at now: Date, in transaction: some Transaction) throws -> [Person] {
        try Person.list(decidingWith: [.administrator], for: whole.organization.id, at: now, in: transaction)
    }
}
