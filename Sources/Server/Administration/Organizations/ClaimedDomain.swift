import Directory
import Storage

/// A domain of an organization, verified or not.
package struct ClaimedDomain: OperationSubject {
    let organization: Organization
    let domain: Domain

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { domain.version }

    /// - Throws: ``OperationError/refused(_:remedy:)``
    func checkIsUnverified() throws {
        guard !domain.isVerified else {
            throw OperationError.refused("The domain \(domain.name) of \(organization.name) is verified already.")
        }
    }
}

/// A domain that an organization may have already.
package struct DomainToBe: OperationSubject {
    let organization: Organization
    let name: String
    /// Nil if the organization does not have it.
    let former: Domain?

    package var subjectOrganization: OrganizationID? { organization.id }
    package var auditName: String { organization.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) -> Bool { authority.has(privilege, in: organization.id) }

    package func version(in transaction: some Transaction) -> String? { former?.version ?? .versionOfNothing }
}

extension Domain {
    /// See ``OperationSubject/version(in:)``.
    var version: String { isVerified ? "verified" : "unverified" }
}

extension OperationContext {
    /// For a change of a domain that the organization has.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    func claimedDomain(_ name: String, _ transaction: some Transaction) throws -> ClaimedDomain {
        let organization = try organizationToChange(transaction)
        return ClaimedDomain(
            organization: organization, domain: try findDomain(name, of: organization, transaction))
    }
}
