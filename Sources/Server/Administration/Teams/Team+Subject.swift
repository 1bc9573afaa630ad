import Authorization
import Directory
import Storage

extension Team: OperationSubject {
    package var subjectOrganization: OrganizationID? { nil }
    package var subjectTeam: TeamID? { id }
    package var auditName: String { "team:\(publicID)" }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: id) }

    package func version(in transaction: some Transaction) throws -> String? {
        try Team.find(id, in: transaction)?.presentVersion(in: transaction)
    }

    /// Changes with the name and the members.
    func presentVersion(in transaction: some Transaction) throws -> String {
        .version(
            of: [publicID, name, removedAt == nil ? "" : "removed"]
                + (try Team.members(of: id, in: transaction).map { "\($0.rawValue)" }))
    }
}

/// The teams of the caller, or one of them: what lists go through. For the operator, all teams.
package struct TeamListing: OperationSubject {
    let teams: [Team]
    /// Whether the list was limited to one team.
    private let only: Team?

    package var subjectOrganization: OrganizationID? { nil }
    package var isOpenToAnybody: Bool { true }
    package var auditName: String { only?.auditName ?? "teams" }

    /// - Throws: the errors of ``TeamReference/find(for:in:_:)``
    init(
        _ reference: TeamReference?, for privilege: Privilege, in context: OperationContext,
        _ transaction: some Transaction
    ) throws {
        only = try reference?.find(for: privilege, in: context, transaction)
        teams = try only.map { [$0] } ?? context.authority.knownTeams(in: transaction)
    }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { teams.allSatisfy { authority.has(privilege, in: $0.id) } && authority.has(privilege) }
}
