import Authorization
import Directory
import Storage

/// The audit trail of an organization, or of the server itself, which has apps, teams, keys and personal accounts.
package struct AuditTrail: OperationSubject {
    /// Nil for that of the server.
    let organization: Organization?

    package var subjectOrganization: OrganizationID? { organization?.id }
    package var auditName: String { organization?.auditName ?? "server" }

    /// It tells of all places, so that a role at one of them is not enough.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { organization.map { authority.has(privilege, in: $0.id) } ?? authority.isOperator }
}

extension App {
    /// The mentions by which entries about the app are found: the app itself, and each of its clients, which act for
    /// it.
    func auditMentions(in transaction: some Transaction) throws -> [AuditMention] {
        try [.app(id.rawValue)] + App.clientIDs(of: id, in: transaction).map(AuditMention.client)
    }
}
